/**
 * The four edges of the loop as fakes: a model by scripted events, a sandbox in memory, a log in memory, a clock that
 * moves only when somebody sleeps.
 */
import { Fault } from '../../src/protocol/error.ts'
import type { ThreadEvent } from '../../src/protocol/event.ts'
import { newId } from '../../src/protocol/ids.ts'
import type { Answers } from '../../src/protocol/item.ts'
import { defaultThreadSettings, type ThreadSettings } from '../../src/protocol/settings.ts'
import { noLandmarks } from '../../src/protocol/thread.ts'
import type {
  AgentPorts,
  Clock,
  SteerInput,
  StopReason,
  TurnControl,
  TurnInput,
} from '../../src/server/agent/types.ts'
import type { Recall } from '../../src/server/context/recall.ts'
import type { WindowState } from '../../src/server/context/types.ts'
import { loadWindow } from '../../src/server/context/window.ts'
import type { Provider } from '../../src/server/providers/types.ts'
import { decodeWireBlock } from '../../src/server/providers/wire-block.ts'
import { nextLandmarks } from '../../src/server/runtime/landmarks.ts'
import { recallOf } from '../../src/server/runtime/recall.ts'
import type { Sandbox } from '../../src/server/sandbox/types.ts'
import { type MemoryLog, memoryLog } from '../setup/memory-log.ts'
import { emptyHistory, type MemoryNotes, memoryNotes } from '../setup/notes.ts'
import { model, traits } from '../setup/scripted-provider.ts'

// ---- clock ---------------------------------------------------------------------------------------------------

/** Short sleeps end at once and move the time; those of an hour or more only end with their signal. */
export const fakeClock = (): Clock & { advance(ms: number): void; slept: number[] } => {
  let now = 1_750_000_000_000
  const slept: number[] = []
  return {
    slept,
    now: () => now,
    random: () => 0.5,
    advance(ms) {
      now += ms
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      if (ms < 3_600_000) {
        slept.push(ms)
        await new Promise((resolve) => setImmediate(resolve))
        signal?.throwIfAborted()
        now += ms
        return
      }
      await new Promise<void>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    },
  }
}

// ---- sandbox -------------------------------------------------------------------------------------------------

export type FilesOnlySandbox = Sandbox & { files: Map<string, string>; checkpoints: number; killed: string[] }

/** Files in memory and nothing that runs: for loops whose tools are made up. What it does not have rejects with a fault. */
export const filesOnlySandbox = (files: Record<string, string> = {}): FilesOnlySandbox => {
  const refuse = (): never => {
    throw new Fault('tool_refused', 'Not in this sandbox.', 'Nothing to do.')
  }
  let tree = 0
  const box: Partial<FilesOnlySandbox> = {
    files: new Map(Object.entries(files)),
    checkpoints: 0,
    killed: [],
    status: () => 'ready',
    ensure: async () => undefined,
    async stat(path) {
      const held = box.files?.get(path)
      return held === undefined ? null : { path, type: 'file', bytes: held.length, mtimeMs: 0 }
    },
    async readFile(path) {
      const held = box.files?.get(path)
      if (held === undefined) throw new Fault('not_found', 'No such file.', 'Nothing to do.')
      return { bytes: Buffer.from(held), size: held.length }
    },
    async kill(commandId) {
      box.killed?.push(commandId)
    },
    async checkpoint() {
      box.checkpoints = (box.checkpoints ?? 0) + 1
      const previousTree = tree === 0 ? null : String(tree)
      tree += 1
      return {
        tree: String(tree),
        snapshot: String(tree),
        changed: true,
        previousTree,
        baseTree: '1',
        files: [],
        fileCount: 0,
        additions: 0,
        deletions: 0,
        leftOut: [],
        pack: null,
        durationMs: 1,
      }
    },
  }
  return new Proxy(box, { get: (held, key) => Reflect.get(held, key) ?? refuse }) as FilesOnlySandbox
}

// ---- the person ----------------------------------------------------------------------------------------------

export type FakeControl = TurnControl & {
  stop(reason: StopReason): void
  steers: SteerInput[]
  set(settings: Partial<ThreadSettings>): void
  answers: (Answers | null)[]
  /** New windows that a person asks for, one before each request. */
  windows: { focus?: string }[]
  /** Hand-over documents that were begun. */
  documents: { stepId: string; stop(): void }[]
}

export const fakeControl = (): FakeControl => {
  const controller = new AbortController()
  let settings = defaultThreadSettings
  const control: FakeControl = {
    signal: controller.signal,
    steers: [],
    answers: [],
    windows: [],
    stop: (reason) => controller.abort(reason),
    set(changed) {
      settings = { ...settings, ...changed }
    },
    settings: () => settings,
    takeSteers: async () => control.steers.splice(0),
    takeWindow: () => control.windows.shift() ?? null,
    documentBegins: (stepId) => {
      const document = new AbortController()
      control.documents.push({ stepId, stop: () => document.abort() })
      return { signal: document.signal, ended: () => undefined }
    },
    documents: [],
    ask: async () => control.answers.shift() ?? null,
  }
  return control
}

// ---- all of it -----------------------------------------------------------------------------------------------

export const userId = 'usr_0197a0a0-0000-7000-8000-000000000001'

export const emptyWindow = (): WindowState =>
  loadWindow(
    { windowId: newId('win'), index: 0, frozen: null, blocks: [], lastRequest: null },
    decodeWireBlock,
  )

/** The window as it would come back from the log. */
export const reloadedWindow = (window: WindowState, log: MemoryLog): WindowState =>
  loadWindow(
    {
      windowId: window.windowId,
      index: window.index,
      frozen: log.windows.find(({ windowId }) => windowId === window.windowId)?.frozen ?? null,
      blocks: log.blocksOf(window.windowId),
      lastRequest: null,
    },
    decodeWireBlock,
  )

export type Stage = {
  log: MemoryLog
  control: FakeControl
  clock: ReturnType<typeof fakeClock>
  sandbox: FilesOnlySandbox
  notes: MemoryNotes
  ports: AgentPorts
  defects: unknown[]
  left: string[]
  done: string[]
}

/** What the runtime would remember of this log. */
const recallFromLog = async (log: MemoryLog, notes: MemoryNotes): Promise<Recall> => {
  const events = log.events.map(
    (event, at) => ({ ...event, threadId: 'thr', seq: at + 1, at: 1_750_000_000_000 }) as ThreadEvent,
  )
  const landmarks = events.reduce(nextLandmarks, noLandmarks)
  const pins = events.flatMap((event) => (event.type === 'window.pinned' ? [event.body] : []))
  const pinnedItems = pins.filter(({ pinned }) => pinned).map(({ itemId }) => itemId)
  return recallOf({
    known: { landmarks, pinnedItems, windowIndex: log.windows.length - 1 },
    agentPath: notes.agentPath,
    events,
    windows: log.windows,
    notes: await notes.index(30),
    pinned: pinnedItems.flatMap(
      (id) => events.findLast((event) => event.itemId === id && 'item' in event.body) ?? [],
    ),
  })
}

export const stage = (files: Record<string, string> = {}): Stage => {
  const log = memoryLog()
  const control = fakeControl()
  const clock = fakeClock()
  const sandbox = filesOnlySandbox(files)
  const notes = memoryNotes()
  const defects: unknown[] = []
  const left: string[] = []
  const done: string[] = []
  const ports: AgentPorts = {
    clock,
    recorder: log,
    control,
    sandbox,
    notes,
    history: emptyHistory(),
    recall: () => recallFromLog(log, notes),
    items: async (itemIds) => {
      const items = new Map(
        log.events.flatMap((event) =>
          event.type === 'item.completed' || event.type === 'item.started'
            ? [[event.body.item.id, event.body.item] as const]
            : [],
        ),
      )
      return itemIds.flatMap((id) => items.get(id) ?? [])
    },
    windowOpened: () => undefined,
    newId,
    interceptors: [],
    defect: (error) => defects.push(error),
    commandDone: (commandId) => done.push(commandId),
    commandLeft: ({ commandId }) => left.push(commandId),
  }
  return { log, control, clock, sandbox, notes, ports, defects, left, done }
}

export const turnInput = (
  provider: Provider,
  tools: TurnInput['tools'],
  more: Partial<TurnInput> = {},
): TurnInput => ({
  threadId: newId('thr'),
  turnId: newId('trn'),
  actorId: userId,
  content: [{ type: 'text', text: 'do it' }],
  via: 'start',
  window: emptyWindow(),
  provider,
  model: { ...model, wire: provider.wire.kind },
  modelRef: { providerId: newId('prv'), model: model.id },
  traits,
  tools,
  sessions: new Map(),
  projectInstructions: '',
  workspaceHasFiles: true,
  wantsWindow: false,
  resume: null,
  ...more,
})
