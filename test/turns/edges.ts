/**
 * The four edges of the loop as fakes: a model by scripted events, a sandbox in memory, a log in memory, a clock that
 * moves only when somebody sleeps.
 */
import { createHash } from 'node:crypto'
import { Fault } from '../../src/protocol/error.ts'
import type { NewEvent, ThreadEvent } from '../../src/protocol/event.ts'
import { newId } from '../../src/protocol/ids.ts'
import { type Answers, type LongText, previewChars } from '../../src/protocol/item.ts'
import { defaultThreadSettings, type ThreadSettings } from '../../src/protocol/settings.ts'
import { noLandmarks } from '../../src/protocol/thread.ts'
import type {
  AgentPorts,
  Clock,
  NewStep,
  NewWindow,
  Recorder,
  SteerInput,
  StepEnd,
  StopReason,
  TurnControl,
  TurnInput,
} from '../../src/server/agent/types.ts'
import type { Recall } from '../../src/server/context/recall.ts'
import type { NewBlock, WindowState } from '../../src/server/context/types.ts'
import { loadWindow } from '../../src/server/context/window.ts'
import { ProviderFailure, providerError } from '../../src/server/providers/errors.ts'
import type {
  ModelEvent,
  ModelInfo,
  Provider,
  ProviderErrorCode,
  WindowTraits,
  WireKind,
} from '../../src/server/providers/types.ts'
import { wireFor } from '../../src/server/providers/wire.ts'
import { decodeWireBlock } from '../../src/server/providers/wire-block.ts'
import { nextLandmarks } from '../../src/server/runtime/landmarks.ts'
import { recallOf } from '../../src/server/runtime/recall.ts'
import type { Sandbox } from '../../src/server/sandbox/types.ts'
import { emptyHistory, type MemoryNotes, memoryNotes } from '../setup/notes.ts'

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

// ---- log -----------------------------------------------------------------------------------------------------

export type MemoryLog = Recorder & {
  events: NewEvent[]
  blocks: NewBlock[]
  steps: NewStep[]
  ends: StepEnd[]
  windows: NewWindow[]
  deltas: { itemId: string; part: string; offset: number; text: string }[]
  blobs: Map<string, Uint8Array>
  /** Throws lease_lost from the n-th event on. */
  loseAfter: number
  ofWindow: Map<string, NewBlock[]>
  blocksOf(windowId: string): NewBlock[]
  keep(windowId: string, blocks: NewBlock[]): void
  ofType<T extends NewEvent['type']>(type: T): Extract<NewEvent, { type: T }>[]
}

export const memoryLog = (): MemoryLog => {
  const log: MemoryLog = {
    events: [],
    blocks: [],
    steps: [],
    ends: [],
    windows: [],
    deltas: [],
    blobs: new Map(),
    loseAfter: Number.POSITIVE_INFINITY,
    blocksOf: (windowId) => log.ofWindow.get(windowId) ?? [],
    ofWindow: new Map(),
    keep(windowId, blocks) {
      log.blocks.push(...blocks)
      if (blocks.length > 0) log.ofWindow.set(windowId, [...log.blocksOf(windowId), ...blocks])
    },
    ofType: (type) => log.events.filter((event) => event.type === type) as never,
    async emit(event, blocks = []) {
      if (log.events.length >= log.loseAfter)
        throw new Fault('lease_lost', 'Another runner has it.', 'Nothing to do.')
      log.events.push(structuredClone(event))
      log.keep(event.windowId, blocks)
      return { seq: log.events.length, committed: Promise.resolve() }
    },
    delta(itemId, part, offset, text) {
      log.deltas.push({ itemId, part, offset, text })
    },
    async startStep(step, blocks, event) {
      await log.emit(event, blocks)
      log.steps.push(step)
    },
    async endStep(step, event, blocks) {
      log.ends.push(step)
      return log.emit(event, blocks)
    },
    async openWindow({ window, blocks, event, closed, after }) {
      // One append: all of it, or nothing.
      const events = [...(closed === undefined ? [] : [closed.event]), event, ...after]
      if (log.events.length >= log.loseAfter)
        throw new Fault('lease_lost', 'Another runner has it.', 'Nothing to do.')
      log.windows.push(window)
      log.events.push(...structuredClone(events))
      log.keep(closed?.event.windowId ?? '', closed?.blocks ?? [])
      log.keep(window.windowId, blocks)
      return { seq: log.events.length, committed: Promise.resolve() }
    },
    flush: async () => undefined,
    async long(text): Promise<LongText> {
      if (text.length <= previewChars) return { text }
      const blob = await log.blob(Buffer.from(text))
      return { text: text.slice(0, previewChars), blob, chars: text.length }
    },
    async blob(bytes) {
      const hash = createHash('sha256').update(bytes).digest('hex')
      log.blobs.set(hash, bytes)
      return hash
    },
    async readBlob(hash) {
      const bytes = log.blobs.get(hash)
      if (bytes === undefined) throw new Fault('not_found', 'No such blob.', 'Nothing to do.')
      return bytes
    },
  }
  return log
}

// ---- model ---------------------------------------------------------------------------------------------------

/** What the model does for one request: events in order, a failure, or a promise to wait for in between. */
export type Script = (
  | ModelEvent
  | Promise<unknown>
  | { fail: ProviderErrorCode; retryAfterMs?: number; retryable?: boolean }
)[]

export type ScriptedProvider = Provider & { bodies: string[] }

/** One script a request, in order; the last one repeats. */
export const scriptedProvider = (kind: WireKind, scripts: Script[]): ScriptedProvider => {
  const bodies: string[] = []
  return {
    wire: wireFor(kind),
    bodies,
    listModels: async () => [],
    async *stream({ body }, signal) {
      bodies.push(Buffer.from(body).toString('utf8'))
      const script = scripts[Math.min(bodies.length, scripts.length) - 1] ?? []
      for (const entry of script) {
        signal.throwIfAborted()
        if (entry instanceof Promise) {
          await Promise.race([entry, aborted(signal)])
          continue
        }
        if ('fail' in entry) {
          const { fail, ...more } = entry
          throw new ProviderFailure(providerError(fail, `scripted ${fail}`, more))
        }
        yield entry
      }
    },
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

const usageEvent = (input = 100, output = 20): ModelEvent => ({
  type: 'usage',
  usage: {
    inputTokens: input,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: output,
    reasoningTokens: 0,
  },
})

export const says = (text: string, item = 0): ModelEvent[] => [
  { type: 'item.started', item, kind: 'assistant' },
  { type: 'text.delta', item, text },
  { type: 'item.completed', item, block: { kind: 'assistant', text } },
]

export const calls = (callId: string, name: string, input: unknown, item = 0): ModelEvent[] => {
  const argumentsText = typeof input === 'string' ? input : JSON.stringify(input)
  return [
    { type: 'item.started', item, kind: 'tool_call', callId, name },
    { type: 'arguments.delta', item, text: argumentsText },
    { type: 'item.completed', item, block: { kind: 'tool_call', callId, name, argumentsText } },
  ]
}

export const ends = (
  stopReason: Extract<ModelEvent, { type: 'completed' }>['stopReason'] = 'end',
  input = 100,
  output = 20,
): ModelEvent[] => [
  usageEvent(input, output),
  { type: 'completed', stopReason, rawStopReason: null, responseId: null },
]

export const model: ModelInfo = {
  id: 'test-model',
  label: 'Test model',
  wire: 'openai-responses',
  family: 'test',
  contextTokens: 200_000,
  usableShare: 0.9,
  maxOutputTokens: 8_000,
  efforts: [],
  defaultEffort: null,
  prices: { input: 1_000_000, cachedInput: 100_000, cacheWrite: 1_250_000, output: 5_000_000 },
  supports: { images: true, tools: true, parallelTools: true, reasoning: true },
  explicitCache: false,
  source: 'settings',
}

export const traits: WindowTraits = {
  reasoning: 'payload',
  reasoningOnEveryMessage: false,
  developerRole: 'developer',
  maxTokensField: 'max_completion_tokens',
  thinking: 'none',
  cacheKey: true,
  images: true,
}

// ---- sandbox -------------------------------------------------------------------------------------------------

export type FakeSandbox = Sandbox & { files: Map<string, string>; checkpoints: number; killed: string[] }

/** Files in memory; everything that a test does not need answers with a fault. */
export const fakeSandbox = (files: Record<string, string> = {}): FakeSandbox => {
  const refuse = (): never => {
    throw new Fault('tool_refused', 'Not in this sandbox.', 'Nothing to do.')
  }
  let tree = 0
  const box: Partial<FakeSandbox> = {
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
  return new Proxy(box, { get: (held, key) => Reflect.get(held, key) ?? refuse }) as FakeSandbox
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
  sandbox: FakeSandbox
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
  const sandbox = fakeSandbox(files)
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
