/**
 * Runs a task in one strategy: real turns on the real runtime, log and search, a model over real HTTP, a sandbox in
 * memory. What the model was given and when is seen at the provider's door; what it cost is read from the log.
 */
import { sha256 } from '../../src/lib/sha256.ts'
import type { ThreadEvent } from '../../src/protocol/event.ts'
import { newId } from '../../src/protocol/ids.ts'
import type { Strategy } from '../../src/protocol/settings.ts'
import { createProvider } from '../../src/server/providers/provider.ts'
import { windowTraits } from '../../src/server/providers/traits.ts'
import type { ModelInfo, Provider, ProviderConnection } from '../../src/server/providers/types.ts'
import { standardTools } from '../../src/server/tools/tools.ts'
import type { ToolSet } from '../../src/server/tools/types.ts'
import { writeLongThread } from '../bench/parts/long-thread.ts'
import type { FakeSandbox } from '../setup/fake-sandbox.ts'
import { startTestRuntime, type TestRuntime, testUser } from '../setup/runtime.ts'
import { noise } from './random.ts'
import type { Task } from './task.ts'

export type EvaluatedModel = { connection: ProviderConnection; info: ModelInfo }

/** A request as it was handed over; `endedAt`: when the last of the answer was read. Milliseconds. */
type Seen = { body: string; sha256: string; startedAt: number; endedAt: number }

export type Change = {
  tools?: ToolSet
  /** Alters what is sent, to see what an evaluation says of a worse mechanism. */
  alterBody?: (body: string) => string
}

export type Evaluation = TestRuntime & { model: EvaluatedModel; seen: Seen[] }

export const openEvaluation = async (model: EvaluatedModel, change: Change = {}): Promise<Evaluation> => {
  const seen: Seen[] = []
  const inner = createProvider(model.connection)
  const provider: Provider = {
    wire: inner.wire,
    listModels: (signal) => inner.listModels(signal),
    async *stream(request, signal, hooks) {
      const sent = Buffer.from(request.body).toString('utf8')
      const body = change.alterBody?.(sent) ?? sent
      const about: Seen = {
        body,
        sha256: sha256(request.body),
        startedAt: performance.now(),
        endedAt: Number.NaN,
      }
      seen.push(about)
      yield* inner.stream({ ...request, body: Buffer.from(body) }, signal, hooks)
      about.endedAt = performance.now()
    },
  }
  const traits = windowTraits(model.connection, model.info, model.info.supports.reasoning)
  const runtime = await startTestRuntime({
    resolveModel: async () => ({ provider, model: model.info, traits }),
    tools: change.tools ?? standardTools,
  })
  // A spread would read the getter of the runtime once.
  return Object.assign(runtime, { model, seen })
}

/** Items and events that a turn of the older work has; see the writer of long threads. */
const eventsPerItem = 149 / 26

const fillChars = 6_500
const fillFiles = 60
const fillPath = (at: number): string => `logs/part-${String(at % fillFiles).padStart(2, '0')}.txt`

const prepareSandbox = (sandbox: FakeSandbox, task: Task): void => {
  sandbox.write('README.md', 'A sample project.\n')
  for (let at = 0; at < fillFiles; at += 1) sandbox.write(fillPath(at), noise(at + 1_000, fillChars))
  for (const [path, text] of Object.entries(task.files)) sandbox.write(path, text)
  sandbox.play(async ({ command, print, end, more, signal }) => {
    const script = (command.script ?? command.argv?.join(' ') ?? '').trim()
    const known = task.commands[script]
    if (known !== undefined) {
      print(known.output)
      while (known.keepsRunning && !signal.aborted) await more()
      end(known.exitCode)
      return
    }
    const path = /^cat (\S+)$/.exec(script)?.[1]
    const text = path === undefined ? null : sandbox.read(path)
    if (text === null) {
      print(`${script}: not found\n`)
      end(127)
    } else print(text)
  })
}

/** A model request of a turn, with what the log holds up to the next one. */
type Step = { windowId: string; request: Seen; after: ThreadEvent[] }
export type Turn = { saidAt: number; events: ThreadEvent[]; steps: Step[] }

/** A thread at work on a task. */
export type Conversation = {
  threadId: string
  /** All events since the first turn, and all turns. */
  events: ThreadEvent[]
  turns: Turn[]
  /** Index of the newest window. */
  window(): number
  /** Says it and waits for the end of the turn. */
  turn(text: string): Promise<Turn>
  /** One more piece of work that matters to nobody. */
  fill(): Promise<void>
  /** How many there were. */
  filled(): number
}

/** Tokens at which a window is full, and what is left above for saving notes. */
export type Size = { limitTokens: number; bufferTokens: number }

const stepsOf = (events: readonly ThreadEvent[], seen: readonly Seen[]): Step[] => {
  const steps: Step[] = []
  for (const event of events) {
    if (event.type === 'step.started') {
      // A request that was sent again counts as its last.
      const request = seen.findLast(({ sha256 }) => sha256 === event.body.bodySha256)
      if (request !== undefined) steps.push({ windowId: event.windowId, request, after: [] })
    } else steps.at(-1)?.after.push(event)
  }
  return steps
}

export const converse = async (
  evaluation: Evaluation,
  task: Task,
  strategy: Strategy,
  size: Size,
): Promise<Conversation> => {
  const { store, seen } = evaluation
  const settings = { strategy, window: { ...size, reminderTokens: 0 } }
  let threadId: string
  if (task.itemsBefore === 0) threadId = await evaluation.createThread(settings)
  else {
    const project = await store.projects.create({ name: 'Older work' }, testUser)
    const events = Math.ceil(task.itemsBefore * eventsPerItem)
    threadId = await writeLongThread(store, project.id, testUser, events)
    const model = { providerId: newId('prv'), model: evaluation.model.info.id }
    await evaluation.send(threadId, { type: 'thread.settings', settings: { ...settings, model } })
  }
  prepareSandbox(evaluation.sandbox(threadId), task)
  const events: ThreadEvent[] = []
  const turns: Turn[] = []
  let head = (await store.threads.get(threadId)).head
  let index = 0
  let filled = 0
  const turn: Conversation['turn'] = async (text) => {
    const from = events.length
    const seenFrom = seen.length
    const stop = new AbortController()
    const live = evaluation.runtime.subscribe(threadId, head, stop.signal)
    const saidAt = performance.now()
    await evaluation.say(threadId, text)
    for await (const message of live) {
      if (message.type !== 'events') continue
      for (const event of message.events) {
        if (event.seq <= head) continue
        head = event.seq
        events.push(event)
        if (event.type === 'window.opened') index = event.body.index
      }
      const last = events.at(-1)
      const end = events
        .slice(from)
        .find(({ type }) => /^turn\.(completed|failed|limited|interrupted)$/.test(type))
      if (end === undefined || last === undefined) continue
      if (end.type !== 'turn.completed')
        throw new Error(`${task.task} (${strategy}): ${end.type} ${JSON.stringify(end.body)}`)
      break
    }
    stop.abort()
    const own = events.slice(from)
    const told: Turn = { saidAt, events: own, steps: stepsOf(own, seen.slice(seenFrom)) }
    turns.push(told)
    return told
  }
  return {
    threadId,
    events,
    turns,
    window: () => index,
    turn,
    filled: () => filled,
    fill: async () => {
      await turn(`Please run \`cat ${fillPath(filled)}\` and say when it is read.`)
      filled += 1
    },
  }
}
