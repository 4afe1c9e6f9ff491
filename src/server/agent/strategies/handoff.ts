/**
 * The second strategy: the model writes a document for its successor, which goes on from it and the newest messages of
 * people. Whatever goes wrong with the document, the thread goes on in the first strategy's way.
 */
import { type ErrorFact, Fault } from '../../../protocol/error.ts'
import type { UserMessage } from '../../../protocol/item.ts'
import { estimateTokens, scaleOf } from '../../context/budget.ts'
import { promptParts } from '../../context/content.ts'
import { marksOf } from '../../context/fill.ts'
import { handOffPrompt } from '../../context/fragments/hand-off-prompt.ts'
import type { WindowState } from '../../context/types.ts'
import { carry } from '../../context/window.ts'
import { askAside } from '../ask-aside.ts'
import { composeNext } from '../compose.ts'
import { openNextWindow } from '../new-window.ts'
import { notice } from '../notice.ts'
import { lookForRules, recallRules } from '../rules.ts'
import type { TurnRun } from '../run.ts'
import { stepsOf } from './cuts.ts'
import type { WindowStrategy } from './types.ts'
import { windowsStrategy } from './windows.ts'

/** Tokens of people's messages that come along, and the share of the window that they may take at most. */
const messageTokens = 20_000
const messageShare = 0.25
/** The row that asks for the document: a window that has it is being left. */
export const handOverRequest = 'hand_over_request'
/** When the request for the document is itself too long, its oldest part is dropped, this often at most. */
const drops = 4
const dropShare = 0.3

export const handoffStrategy: WindowStrategy = {
  decide: (_run, { used, limit }) => (used >= limit ? { type: 'open', reason: 'budget' } : { type: 'none' }),

  async open(run, opening) {
    // Read before the request for the document may drop some of them from the window.
    const earlier = await recentMessages(run)
    let document = await writeDocument(run, opening.focus)
    if (typeof document === 'string')
      try {
        return await openNextWindow(run, opening, composeNext(run, opening, { document, earlier }))
      } catch (error) {
        if (!isTooSmall(error)) throw error
        document = error.toFact()
      }
    await notice(run, {
      kind: 'handoff_failed',
      text: 'There is no hand-over document that could be used; the new window goes on from notes and history.',
      error: document,
    })
    return windowsStrategy.open(run, opening)
  },
}

const isTooSmall = (error: unknown): error is Fault =>
  error instanceof Fault && error.code === 'window_too_small'

/** The model's document, or why there is none. */
const writeDocument = async (run: TurnRun, focus: string | null): Promise<string | ErrorFact> => {
  for (let dropped = 0; ; dropped += 1) {
    run.tell(
      { kind: 'developer', parts: [{ type: 'text', text: handOffPrompt(focus) }] },
      { reason: handOverRequest },
    )
    const answer = await askAside(run)
    if ('text' in answer) return answer.text
    if (answer.error.code !== 'context_overflow' || dropped >= drops) return answer.error
    const kept = withoutOldest(run.input.window, new Set(run.messages.map(({ id }) => id)))
    if (kept === null) return answer.error
    try {
      await openNextWindow(
        run,
        { reason: 'oldest_dropped', focus: null },
        async (draft) => {
          if (run.rules === undefined) await lookForRules(run, true)
          await run.ports.recorder.flush()
          await recallRules(run, await run.ports.recall())
          draft.keep(kept.map((at) => carry(draft.window, run.input.window, at)))
          draft.world()
        },
        false,
      )
    } catch (error) {
      if (!isTooSmall(error)) throw error
      return error.toFact()
    }
  }
}

const isHead = (kind: string): boolean =>
  kind === 'tool' || kind === 'instructions' || kind.startsWith('world:')

/**
 * Places of what stays when the oldest third of the conversation is dropped; null when there is nothing to drop. What
 * people said in this turn (`always`) stays: should the turn end here, the window must still know what was asked.
 */
const withoutOldest = (window: WindowState, always: ReadonlySet<string>): number[] | null => {
  const droppable = window.rows.flatMap(({ kind, reason, itemId }, at) =>
    isHead(kind) || reason === handOverRequest || (itemId !== null && always.has(itemId)) ? [] : [at],
  )
  const total = droppable.reduce((sum, at) => sum + (window.rows[at]?.tokens ?? 0), 0)
  let gone = 0
  let from = 0
  while (from < droppable.length && gone < total * dropShare) {
    gone += window.rows[droppable[from] ?? 0]?.tokens ?? 0
    from += 1
  }
  // A result never stands without its call: what is left of a step goes with it.
  const steps = stepsOf(window)
  const group = steps[droppable[from - 1] ?? 0] ?? ''
  while (from < droppable.length && group !== '' && steps[droppable[from] ?? 0] === group) from += 1
  if (from === 0) return null
  const dropped = new Set(droppable.slice(0, from))
  return window.rows.flatMap(({ reason }, at) => (dropped.has(at) || reason === handOverRequest ? [] : [at]))
}

/** What people said in this window before the turn, newest first as far as there is room, in their order. */
const recentMessages = async (run: TurnRun): Promise<UserMessage[]> => {
  const { window, model } = run.input
  const { limit } = marksOf(model, run.ports.control.settings().window)
  const room = Math.min(messageTokens, limit * messageShare)
  const inTurn = new Set(run.messages.map(({ id }) => id))
  const ids = [...window.messages].filter((id) => !inTurn.has(id))
  const items = await run.ports.items(ids)
  const byId = new Map(items.flatMap((item) => (item.type === 'user_message' ? [[item.id, item]] : [])))
  const kept: UserMessage[] = []
  let tokens = 0
  for (const id of ids.reverse()) {
    const message = byId.get(id)
    if (message === undefined) continue
    const parts = await promptParts(message.content, run.ports.recorder.readBlob)
    tokens += estimateTokens({ kind: 'user', parts }, scaleOf(window))
    if (tokens > room) break
    kept.unshift(message)
  }
  return kept
}
