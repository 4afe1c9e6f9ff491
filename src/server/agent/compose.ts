/**
 * What a new window is given, in this order: tools and instructions, what is known of the time before, the rules and the
 * rest of the world, what people pinned, what they asked for in this turn, the plan.
 */
import type { Item, LongText, UserMessage } from '../../protocol/item.ts'
import { estimateTokens, scaleOf } from '../context/budget.ts'
import { promptParts } from '../context/content.ts'
import { marksOf } from '../context/fill.ts'
import { windowBegins } from '../context/fragments/window-begins.ts'
import { composeHint } from '../context/hint.ts'
import type { Recall } from '../context/recall.ts'
import { readableText } from '../context/text.ts'
import type { PromptBlock } from '../providers/types.ts'
import type { Draft, Opening } from './new-window.ts'
import { lookForRules, recallRules } from './rules.ts'
import type { TurnRun } from './run.ts'

/** Tokens of later messages of the same turn that come along beside its first, and their share of a small window. */
const steerTokens = 20_000
const steerShare = 0.25

/** A checkpoint that takes longer is not waited for: the changes are then those of the one before. */
const checkpointGraceMs = 2_000

const developer = (text: string): PromptBlock => ({ kind: 'developer', parts: [{ type: 'text', text }] })

/** The thread's first window: nothing came before. */
export const composeFirst =
  (run: TurnRun) =>
  async (draft: Draft): Promise<void> => {
    draft.world()
    await putMessages(run, draft)
  }

/** `document`: a model's words about the time before, in place of the hint; `earlier`: messages of before this turn. */
export const composeNext =
  (run: TurnRun, opening: Opening, more: { document: string; earlier: UserMessage[] } | null = null) =>
  async (draft: Draft): Promise<void> => {
    const { ports } = run
    // What the last calls wrote is to be told, and rules among it are to hold.
    await Promise.race([run.checkpoint, ports.clock.sleep(checkpointGraceMs, run.signal)])
    await ports.recorder.flush()
    const [recall] = await Promise.all([
      ports.recall(),
      run.rules === undefined ? lookForRules(run, true) : undefined,
    ])
    await recallRules(run, recall)
    const { windowId, index } = draft.window
    const facts = { recall, windowId, index, reason: opening.reason, isMidTurn: run.steps > 0 }
    const given = new Set(run.messages.map(({ id }) => id))
    const body = more?.document ?? composeHint(recall, { focus: opening.focus, given })
    draft.hint = body
    const kind = more === null ? 'hint' : 'hand_over_document'
    draft.put(developer(windowBegins(facts, body, kind)), { reason: 'hint' })
    draft.world()
    await putPinned(run, draft, recall.pinned)
    for (const message of more?.earlier ?? [])
      if (!draft.window.messages.has(message.id)) await putMessage(run, draft, message, 'kept')
    await putMessages(run, draft)
    putPlan(draft, recall.plan)
  }

const putMessage = async (
  run: TurnRun,
  draft: Draft,
  { id, content }: UserMessage,
  reason: string,
): Promise<void> => {
  const parts = await promptParts(content, run.ports.recorder.readBlob)
  draft.put({ kind: 'user', parts }, { reason, itemId: id })
}

/** The turn's request, always, and the newest of what was said after it. */
const putMessages = async (run: TurnRun, draft: Draft): Promise<void> => {
  const [request, ...steers] = run.messages
  if (request === undefined) return
  const { limit } = marksOf(run.input.model, run.ports.control.settings().window)
  const room = Math.min(steerTokens, limit * steerShare)
  const kept: UserMessage[] = []
  let tokens = 0
  for (const message of steers.reverse()) {
    const parts = await promptParts(message.content, run.ports.recorder.readBlob)
    tokens += estimateTokens({ kind: 'user', parts }, scaleOf(draft.window))
    if (tokens > room) break
    kept.unshift(message)
  }
  for (const message of [request, ...kept])
    if (!draft.window.messages.has(message.id)) await putMessage(run, draft, message, 'message')
}

const whole = async (run: TurnRun, { text, blob }: LongText): Promise<string> =>
  blob === undefined ? text : Buffer.from(await run.ports.recorder.readBlob(blob)).toString('utf8')

/** Messages of people come along as they were said; everything else as words about it. */
export const putPinned = async (run: TurnRun, draft: Draft, items: readonly Item[]): Promise<void> => {
  const inTurn = new Set(run.messages.map(({ id }) => id))
  const { rows } = draft.window
  const placed = new Set(rows.filter(({ reason }) => reason === 'pinned').map(({ itemId }) => itemId))
  const cut = new Set(rows.filter(({ reason }) => reason === 'cut').map(({ itemId }) => itemId))
  // Of a result that was cut the window has the notice alone.
  const given = new Set(
    rows.flatMap(({ itemId }) => (cut.has(itemId) && !placed.has(itemId) ? [] : [itemId])),
  )
  for (const item of items) {
    if (inTurn.has(item.id) || given.has(item.id)) continue
    if (item.type === 'user_message') {
      await putMessage(run, draft, item, 'pinned')
      continue
    }
    const said = await pinnedText(run, item)
    if (said === null) continue
    const text = `<pinned item="${item.id}" kind="${item.type}">\n${readableText(said)}\n</pinned>`
    draft.put(developer(text), { reason: 'pinned', itemId: item.id })
  }
}

const pinnedText = async (run: TurnRun, item: Item): Promise<string | null> => {
  switch (item.type) {
    case 'agent_message':
    case 'reasoning':
      return whole(run, item.text)
    case 'tool_call': {
      const output = 'output' in item.state ? await whole(run, item.state.output) : ''
      return `${item.tool} ${await whole(run, item.arguments)}\n${output}`
    }
    case 'plan':
      return planText(item)
    case 'question':
      return JSON.stringify({
        questions: item.questions.map(({ text }) => text),
        answers: item.answers ?? null,
      })
    default:
      return null
  }
}

const marks = { completed: 'x', in_progress: '>', pending: ' ' } as const

const planText = (plan: { entries: NonNullable<Recall['plan']>['entries'] }): string =>
  plan.entries.map(({ text, status }) => `[${marks[status]}] ${text}`).join('\n')

const putPlan = (draft: Draft, plan: Recall['plan']): void => {
  if (plan === null || plan.entries.every(({ status }) => status === 'completed')) return
  const why = plan.explanation === null ? '' : `\n${readableText(plan.explanation)}`
  const text = `<plan>\n${readableText(planText(plan))}${why}\n</plan>`
  draft.put(developer(text), { reason: 'plan', itemId: plan.itemId })
}
