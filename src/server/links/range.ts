/**
 * From steps as people count them to places in the log. A part begins with what led to its first step and ends with what
 * came of its last one: the words that led to the step after it are not in it.
 */
import { Fault } from '../../protocol/error.ts'
import type { ThreadEvent } from '../../protocol/event.ts'
import { rolloutsOf } from '../rollouts/rollouts.ts'
import type { Store } from '../store/types.ts'

const pageEvents = 500
/** Turns that are counted before a part; what begins later is numbered from here. */
const mostTurns = 20_000

export type LinkRange = {
  fromSeq: number
  /** Null = as it goes on. */
  toSeq: number | null
  before: { turns: number; steps: number }
  /** Steps that the thread has now. */
  steps: number
}

const turnEnds = new Set<ThreadEvent['type']>([
  'turn.completed',
  'turn.interrupted',
  'turn.failed',
  'turn.limited',
])

type RangeStore = Pick<Store, 'log' | 'rollouts' | 'threads' | 'windows' | 'blobs'>

/** The last event that belongs to the step that begins at `seq`. */
const endOf = async ({ log }: RangeStore, threadId: string, seq: number): Promise<number> => {
  for (let after = seq; ; ) {
    const page = await log.after(threadId, after, pageEvents)
    for (const event of page) {
      if (event.type === 'step.started') return event.seq - 1
      if (event.type === 'item.completed' && event.body.item.type === 'user_message') return event.seq - 1
      if (turnEnds.has(event.type)) return event.seq
    }
    const last = page.at(-1)
    if (!last) return after
    after = last.seq
  }
}

/** Fault `bad_input` for steps that the thread does not have. */
export const rangeOf = async (
  store: Store,
  threadId: string,
  { fromStep, toStep, live }: { fromStep: number; toStep: number | null; live: boolean },
): Promise<LinkRange> => {
  const rollouts = rolloutsOf(store)
  await rollouts.catchUp(threadId, { patienceMs: 10_000 })
  const step = async (number: number) => {
    const { rows, total } = await rollouts.rows(threadId, { kinds: ['step'] }, number - 1, 1)
    return { row: rows[0], total }
  }
  const { total: steps } = await step(1)
  if (fromStep > Math.max(1, steps) || (toStep ?? 1) > Math.max(1, steps))
    throw new Fault(
      'bad_input',
      `The thread has ${steps} ${steps === 1 ? 'step' : 'steps'}.`,
      'Choose steps that it has.',
      { field: fromStep > Math.max(1, steps) ? 'fromStep' : 'toStep' },
    )
  const before = fromStep === 1 ? undefined : (await step(fromStep - 1)).row
  const fromSeq = before ? (await endOf(store, threadId, before.seq)) + 1 : 1
  const last = toStep === null ? undefined : (await step(toStep)).row
  const toSeq = last ? await endOf(store, threadId, last.seq) : live ? null : await store.log.head(threadId)
  const turns =
    fromSeq === 1
      ? 0
      : (await store.log.stretch(threadId, ['turn.started'], 0, fromSeq - 1, mostTurns)).length
  return { fromSeq, toSeq, before: { turns, steps: fromStep - 1 }, steps }
}
