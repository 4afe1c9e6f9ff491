/**
 * What a dead process left behind in a thread, read from the log: the turn that ran, and the window that it
 * spoke in. Only reads; what is done about it is the runner's business.
 */
import type { ErrorFact } from '../../protocol/error.ts'
import { addUsage, noUsage, type ThreadEvent, type Usage } from '../../protocol/event.ts'
import type { Item, LongText } from '../../protocol/item.ts'
import type { ModelRef } from '../../protocol/settings.ts'
import type { Draft } from '../../protocol/thread.ts'
import type { Resume } from '../agent/types.ts'
import type { WindowSeed } from '../context/types.ts'
import type { Store, ThreadState } from '../store/types.ts'

const pageEvents = 1_000

export type LeftTurn = {
  turnId: string
  opId: string | null
  actorId: string
  modelRef: ModelRef
  /** Restarts within the turn since its last finished step. */
  restarts: number
  resume: Resume
}

/** A turn that got nowhere in so many lives of the server is what ends them: it is not taken up again. */
const mostRestarts = 5

/** Null while the turn may be taken up. */
export const killsItsServer = ({ restarts }: LeftTurn): ErrorFact | null =>
  restarts < mostRestarts
    ? null
    : {
        code: 'internal',
        message: `The server ended ${restarts + 1} times while it did this turn, and no step of it was finished in between.`,
        next: 'Open a new window and send the message again, or ask for a smaller piece of the work; the server’s log says what ended it.',
      }

/** The step of a hand-over document that was written between turns and never ended; null when there is none. */
export const readOpenDocument = async (
  store: Pick<Store, 'log'>,
  threadId: string,
): Promise<{ stepId: string; startedAt: number; windowId: string } | null> => {
  const started = await store.log.last(threadId, 'step.started')
  if (started === null || started.turnId !== undefined || started.stepId === undefined) return null
  const ends = await Promise.all(
    (['step.completed', 'step.cut', 'step.failed'] as const).map((type) => store.log.last(threadId, type)),
  )
  if (ends.some((end) => end?.stepId === started.stepId)) return null
  return { stepId: started.stepId, startedAt: started.at, windowId: started.windowId }
}

/** The events of a turn, in order, read in pages. */
const eventsOfTurn = async (
  store: Pick<Store, 'log'>,
  threadId: string,
  turnId: string,
  fromSeq: number,
): Promise<ThreadEvent[]> => {
  const events: ThreadEvent[] = []
  for (let after = fromSeq - 1; ; ) {
    const page = await store.log.after(threadId, after, pageEvents)
    events.push(...page.filter((event) => event.turnId === turnId))
    const last = page.at(-1)
    if (!last || page.length < pageEvents) return events
    after = last.seq
  }
}

const withDraft = async (
  item: Item,
  drafts: Draft[],
  long: (text: string) => Promise<LongText>,
): Promise<Item> => {
  if (item.type !== 'agent_message' && item.type !== 'reasoning') return item
  const draft = drafts.find((each) => each.itemId === item.id && each.part === 'text')
  return draft ? { ...item, text: await long(draft.text) } : item
}

const addCost = (total: number | null, cost: number | null): number | null =>
  cost === null ? total : (total ?? 0) + cost

/** The turn that the state names as running; null when its start is not in the log. */
export const readLeftTurn = async (
  store: Pick<Store, 'log' | 'drafts'>,
  threadId: string,
  turnId: string,
  long: (text: string) => Promise<LongText>,
): Promise<LeftTurn | null> => {
  const start = await store.log.last(threadId, 'turn.started')
  if (start?.turnId !== turnId) return null
  const events = await eventsOfTurn(store, threadId, turnId, start.seq)
  const drafts = await store.drafts.list(threadId)
  const items = new Map<string, { item: Item; done: boolean }>()
  let steps = 0
  let restarts = 0
  let usage: Usage = noUsage
  let costMicros: number | null = null
  let openStep: Resume['openStep'] = null
  const commands: string[] = []
  for (const event of events) {
    if (event.type === 'command.started') commands.push(event.body.commandId)
    if (event.type === 'item.started' || event.type === 'item.completed')
      items.set(event.body.item.id, { item: event.body.item, done: event.type === 'item.completed' })
    if (event.type === 'server.restarted') restarts += 1
    if (event.type === 'step.completed') restarts = 0
    if (event.type === 'step.started') {
      steps += 1
      openStep = { stepId: event.stepId ?? '', startedAt: event.at }
    }
    if (event.type === 'step.completed' || event.type === 'step.cut' || event.type === 'step.failed') {
      usage = addUsage(usage, event.body.usage)
      costMicros = addCost(costMicros, event.body.costMicros)
      openStep = null
    }
  }
  return {
    turnId,
    opId: start.body.opId ?? null,
    actorId: start.actorId,
    modelRef: start.body.model,
    restarts,
    resume: {
      startedAt: start.at,
      steps,
      usage,
      costMicros,
      commands,
      openStep,
      items: await Promise.all(
        [...items.values()].map(async ({ item, done }) => ({
          item: done ? item : await withDraft(item, drafts, long),
          done,
        })),
      ),
    },
  }
}

/** The window as its rows say, for the loop. */
export const readWindow = async (
  store: Pick<Store, 'windows'>,
  state: Pick<ThreadState, 'windowId' | 'windowIndex'>,
): Promise<WindowSeed> => {
  const { windowId, windowIndex: index } = state
  const [window, blocks, last] = await Promise.all([
    store.windows.get(windowId),
    store.windows.blocks(windowId),
    store.windows.lastAnswered(windowId),
  ])
  // Thoughts that are not handed back are gone with their answer.
  const gone = window?.frozen?.traits.reasoning === 'none' ? (last?.usage.reasoning ?? 0) : 0
  const counted = last === null ? 0 : last.usage.input + last.usage.output - gone
  return {
    windowId,
    index,
    frozen: window?.frozen ?? null,
    blocks,
    lastRequest:
      last === null ? null : { blockCount: last.blockCount, contextTokens: counted > 0 ? counted : null },
  }
}
