/**
 * What a thread remembers at a hand-over: a few rows by their places, never a walk through the history. Nothing is made
 * up here; each fact says where the whole of it stands.
 */
import type { ThreadEvent } from '../../protocol/event.ts'
import type { Item, LongText } from '../../protocol/item.ts'
import type { NoteFile } from '../../protocol/note.ts'
import type { Recall } from '../context/recall.ts'
import type { Store, ThreadState } from '../store/types.ts'
import { sessionNumber } from '../tools/sessions.ts'
import type { NotesPort } from '../tools/types.ts'

/** Windows and notes that a new window is told of by name. */
const windowsNamed = 12
const notesNamed = 30
/** Characters of a text that a hint can use at most. */
const textChars = 1_500

type Known = Pick<ThreadState, 'landmarks' | 'pinnedItems' | 'windowIndex'>

export type RecallParts = {
  known: Known
  agentPath: string
  /** The events at the landmarks. */
  events: ThreadEvent[]
  /** Window 0 and the newest, by index. */
  windows: { windowId: string; index: number }[]
  notes: { files: NoteFile[]; total: number }
  /** Newest events about the pinned items. */
  pinned: ThreadEvent[]
}

const beginning = (text: string): string => text.slice(0, textChars).toWellFormed()

const wordsOf = (item: Item): string => {
  if (item.type === 'agent_message') return item.text.text
  if (item.type === 'question')
    return item.questions
      .map(({ id, text }) => `${text} → ${item.answers?.[id]?.join(', ') ?? '(no answer)'}`)
      .join('; ')
  if (item.type !== 'user_message') return ''
  return item.content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join(' ')
}

const itemOf = (event: ThreadEvent | undefined): Item | null =>
  event?.type === 'item.completed' || event?.type === 'item.started' ? event.body.item : null

const outputOf = (output: LongText): string => output.text

const failureOf = (event: ThreadEvent | undefined): Recall['failure'] => {
  if (event === undefined) return null
  if (event.type === 'turn.failed' || event.type === 'turn.limited') {
    const { error } = event.body
    return { what: `the turn ended (${error.code})`, text: beginning(error.message) }
  }
  const item = itemOf(event)
  if (item?.type !== 'tool_call' || !('output' in item.state)) return null
  const text = beginning(outputOf(item.state.output))
  return {
    itemId: item.id,
    windowId: event.windowId,
    what: `${item.tool} ${beginning(item.arguments.text)}`,
    text,
  }
}

export const recallOf = ({ known, agentPath, events, windows, notes, pinned }: RecallParts): Recall => {
  const { landmarks } = known
  const at = new Map(events.map((event) => [event.seq, event]))
  const said = (seq: number): Recall['requests'] => {
    const event = at.get(seq)
    const item = itemOf(event)
    return event === undefined || item === null
      ? []
      : [{ itemId: item.id, windowId: event.windowId, text: beginning(wordsOf(item)) }]
  }
  const found = (seq: number | null): ThreadEvent | undefined => (seq === null ? undefined : at.get(seq))
  const planEvent = found(landmarks.plan)
  const plan = itemOf(planEvent)
  const checkpoint = found(landmarks.checkpoint)
  const rulesEvent = found(landmarks.rules)
  const newest = windows.filter(({ index }) => index > known.windowIndex - windowsNamed)
  const order = new Map(known.pinnedItems.map((id, place) => [id, place]))
  return {
    agentPath,
    goal: landmarks.goal === null ? null : (said(landmarks.goal)[0] ?? null),
    requests: landmarks.requests.flatMap(said),
    answer: landmarks.answer === null ? null : (said(landmarks.answer)[0] ?? null),
    question: landmarks.question === null ? null : (said(landmarks.question)[0] ?? null),
    plan:
      plan?.type === 'plan' && planEvent !== undefined
        ? {
            itemId: plan.id,
            windowId: planEvent.windowId,
            entries: plan.entries,
            explanation: plan.explanation ?? null,
          }
        : null,
    changes: checkpoint?.type === 'checkpoint.created' ? checkpoint.body : null,
    commands: landmarks.commands.flatMap(({ commandId, seq }) => {
      const event = at.get(seq)
      if (event?.type !== 'command.started') return []
      const { itemId, command } = event.body
      return [{ itemId, windowId: event.windowId, command, session: sessionNumber(commandId) }]
    }),
    failure: failureOf(found(landmarks.failure)),
    rules: rulesEvent?.type === 'rules.changed' ? rulesEvent.body : null,
    notes,
    windows: { list: newest, total: known.windowIndex + 1, firstWindowId: windows[0]?.windowId ?? '' },
    pinned: pinned
      .flatMap((event) => itemOf(event) ?? [])
      .sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0)),
  }
}

/** The places at which a hint's events stand. */
const landmarkSeqs = ({
  goal,
  requests,
  plan,
  answer,
  question,
  checkpoint,
  failure,
  commands,
  rules,
}: Known['landmarks']) => [
  ...new Set(
    [
      goal,
      ...requests,
      plan,
      answer,
      question,
      checkpoint,
      failure,
      rules,
      ...commands.map(({ seq }) => seq),
    ].filter((seq) => seq !== null),
  ),
]

/** Everything in it must be stored: the caller waited for its own writes. */
export const readRecall = async (
  store: Pick<Store, 'log' | 'windows'>,
  threadId: string,
  known: Known,
  notes: NotesPort,
): Promise<Recall> => {
  const [events, windows, index, pinned] = await Promise.all([
    store.log.at(threadId, landmarkSeqs(known.landmarks)),
    store.windows.newest(threadId, known.windowIndex - windowsNamed),
    notes.index(notesNamed),
    known.pinnedItems.length === 0 ? [] : store.log.lastOfItems(threadId, known.pinnedItems),
  ])
  return recallOf({ known, agentPath: notes.agentPath, events, windows, notes: index, pinned })
}
