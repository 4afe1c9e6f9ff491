/**
 * The hint: what a new window is told of the time before, composed without a model. Pure: the same facts give the same
 * bytes. Parts stand in order of worth and each has a share of the room, so that cutting drops the least; every part says
 * where the whole of it is. It carries only what the thread's own log and notes hold.
 */
import type { FileChange } from '../../protocol/event.ts'
import { windowNumber } from '../../protocol/item.ts'
import type { NoteFile } from '../../protocol/note.ts'
import type { Recall } from './recall.ts'
import { readableText } from './text.ts'

/** Bytes of UTF-8. */
export const hintBytes = 4_000

/** `share`: bytes that the part may take when every part is long; what others leave is given on in order. */
type Part = { share: number; title: string; lines: string[] }

const bytes = (text: string): number => Buffer.byteLength(text)

/** The beginning of a text on one line, in at most `limit` bytes. */
const short = (text: string, limit: number): string => {
  const line = readableText(text).replace(/\s+/g, ' ').trim()
  if (bytes(line) <= limit) return line
  const cut = Buffer.from(line)
    .subarray(0, Math.max(limit - 3, 0))
    .toString('utf8')
  return `${cut.replace(/\uFFFD+$/, '')}…`
}

const at = ({ itemId, windowId }: { itemId?: string; windowId?: string }): string =>
  itemId === undefined || windowId === undefined ? '' : ` [${itemId} in ${windowId}]`

const marks = { completed: 'x', in_progress: '>', pending: ' ' } as const

const changeLine = ({ path, change, movedFrom, additions, deletions, binary }: FileChange): string =>
  `- ${change} ${short(path, 160)}${movedFrom === undefined ? '' : ` (from ${short(movedFrom, 100)})`}${
    binary ? ' (binary)' : ` +${additions} -${deletions}`
  }`

const noteLine = ({ path, bytes: size, version }: NoteFile): string =>
  `- ${short(path, 160)} (${size} bytes, version ${version})`

const partsOf = (recall: Recall, { focus, given }: HintView): Part[] => {
  const { goal, requests, answer, question, plan, changes, commands, failure, notes, windows } = recall
  const last = requests.findLast(({ itemId }) => !given.has(itemId) && itemId !== goal?.itemId)
  const parts: Part[] = []
  if (focus !== null)
    parts.push({ share: 400, title: 'A person says what matters now:', lines: [short(focus, 1_200)] })
  if (goal !== null)
    parts.push({
      share: 450,
      title: `The thread began with ${given.has(goal.itemId) ? 'the request below' : 'this request'}${at(goal)}${given.has(goal.itemId) ? '.' : ':'}`,
      lines: given.has(goal.itemId) ? [] : [short(goal.text, 900)],
    })
  if (last !== undefined)
    parts.push({ share: 300, title: `The last request before${at(last)}:`, lines: [short(last.text, 600)] })
  if (question !== null)
    parts.push({
      share: 300,
      title: `A person answered what you asked${at(question)}:`,
      lines: [short(question.text, 600)],
    })
  if (plan !== null) {
    // What is under way or still to do is worth more than what is done.
    const open = plan.entries.filter(({ status }) => status !== 'completed')
    const done = plan.entries.length - open.length
    parts.push({
      share: 500,
      title: `Plan${at(plan)}: ${done} of ${plan.entries.length} steps done${open.length > 0 ? '; still to do:' : '.'}`,
      lines: open.map(({ text, status }) => `- [${marks[status]}] ${short(text, 200)}`),
    })
  }
  if (answer !== null)
    parts.push({
      share: 350,
      title: `The last thing you said${at(answer)}:`,
      lines: [short(answer.text, 600)],
    })
  if (changes !== null && changes.fileCount > 0)
    parts.push({
      share: 350,
      title: `Changed in the workspace since the thread began (${changes.fileCount} files, +${changes.additions} -${changes.deletions}):`,
      lines: changes.files.map(changeLine),
    })
  if (commands.length > 0)
    parts.push({
      share: 300,
      title: 'Commands that still run (write_stdin takes the session):',
      lines: commands.map((each) => `- session ${each.session}: ${short(each.command, 160)}${at(each)}`),
    })
  if (failure !== null)
    parts.push({
      share: 300,
      title: `Last failure${at(failure)}, which may be solved by now: ${short(failure.what, 120)}`,
      lines: [short(failure.text, 500)],
    })
  parts.push({
    share: 400,
    title:
      notes.total === 0
        ? 'Notes: none were written.'
        : `Your notes (${notes.total} files, newest first; notes_read gives the text):`,
    lines: notes.files.map(noteLine),
  })
  const before = windows.list.at(-1)
  const listed = windows.list.map(({ index, windowId }) => `${windowNumber(index)}=${windowId}`).reverse()
  parts.push({
    share: 350,
    title: `History: all that was said and done is kept. history_search finds words in it; history_read_item gives an item whole; history_list_items lists a window${
      before === undefined
        ? ''
        : ` (the one before this: ${before.windowId}; the first: ${windows.firstWindowId})`
    }.`,
    lines: listed.length > 1 ? [`Windows: ${listed.join(' ')}`] : [],
  })
  return parts
}

/** The part in at most `room` bytes: whole lines, then how many are left out. A title is always kept. */
const render = ({ title, lines }: Part, room: number): string => {
  const kept: string[] = [title]
  let used = bytes(title) + 1
  for (const [n, line] of lines.entries()) {
    const left = lines.length - n
    const more = left > 1 ? 24 : 0
    if (used + bytes(line) + 1 + more > room) {
      const rest = room - used - 1
      // A single long line is cut rather than dropped.
      kept.push(n === 0 && rest > 80 ? short(line, rest) : `- … ${left} more`)
      break
    }
    kept.push(line)
    used += bytes(line) + 1
  }
  return kept.join('\n')
}

const natural = ({ title, lines }: Part): number =>
  bytes(title) + 1 + lines.reduce((sum, line) => sum + bytes(line) + 1, 0)

/** `focus`: a person's line on what matters. `given`: ids of messages that the window has in full. */
export type HintView = { focus: string | null; given: ReadonlySet<string> }

/** At most 4,000 bytes. */
export const composeHint = (recall: Recall, view: HintView): string => {
  const parts = partsOf(recall, view)
  let left = hintBytes - parts.reduce((sum, part) => sum + Math.min(natural(part), part.share), 0)
  const rendered = parts.map((part) => {
    const wanted = natural(part)
    const given = Math.min(wanted, part.share + Math.max(left, 0))
    left -= Math.max(0, given - part.share)
    return render(part, given)
  })
  while (rendered.length > 1 && bytes(rendered.join('\n')) > hintBytes) rendered.pop()
  return rendered.join('\n')
}
