/** The developer block that a new window begins with: which window this is, why, and what is known of the time before. */
import { type WindowReason, windowNumber } from '../../../protocol/item.ts'
import { type Recall, reasonWords } from '../recall.ts'

type Facts = {
  recall: Pick<Recall, 'agentPath' | 'windows'>
  windowId: string
  index: number
  reason: WindowReason
  /** The turn goes on in this window. */
  isMidTurn: boolean
}

export const windowBegins = (
  { recall, windowId, index, reason, isMidTurn }: Facts,
  body: string,
  kind: 'hint' | 'hand_over_document',
): string => {
  const { windows, agentPath } = recall
  const before = windows.list.at(-1)
  const lines = [
    '<context_window>',
    `Agent: ${agentPath}`,
    `This is window ${windowNumber(index)} (${windowId}) of the thread${before === undefined ? '' : `; before it: window ${windowNumber(before.index)} (${before.windowId})`}.`,
    `It was opened because ${reasonWords[reason]}.`,
    isMidTurn
      ? 'You are in the middle of the work on the request below. What you said and did in it is no longer in view: go on from where you were, do not begin anew. Read your notes first; look in the history for what they do not have.'
      : 'What was said and done before is no longer in view. Your notes and the history have it.',
    '</context_window>',
  ]
  const words = kind === 'hint' ? 'hint' : 'hand_over'
  return `${lines.join('\n')}\n\n<${words}>\n${body}\n</${words}>`
}
