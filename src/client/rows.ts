/**
 * The rows of a thread's list: what stands under what, what is folded away. Pure: from a view and what the person has
 * opened. It decides no looks.
 */
import type { Item, ToolCall } from '../protocol/item.ts'
import type { MarkerView, ThreadView, TurnView } from '../protocol/view.ts'
import type { PendingOp } from './pending.ts'

export type Row =
  | { kind: 'older'; key: string }
  | { kind: 'item'; key: string; itemId: string; inTurn: boolean }
  | { kind: 'group'; key: string; itemIds: string[] }
  | { kind: 'marker'; key: string; marker: MarkerView }
  | { kind: 'turn'; key: string; turnId: string; foldable: boolean; open: boolean }
  | { kind: 'end'; key: string; turnId: string }
  | { kind: 'working'; key: string; turnId: string }
  | { kind: 'pending'; key: string; op: PendingOp }

export type RowOptions = {
  /** Turns whose work a person has opened (finished) or closed; other finished turns are folded. */
  unfolded: ReadonlySet<string>
  pending: readonly PendingOp[]
  hasOlder: boolean
}

const lookingTools = new Set([
  'read_file',
  'list_dir',
  'search_files',
  'notes_list',
  'notes_read',
  'notes_search',
  'history_list_windows',
  'history_list_items',
  'history_read_item',
  'history_search',
  'get_context_remaining',
])

/** A call that only looked: runs of them fold into one line. */
export const isLooking = (item: Item): item is ToolCall =>
  item.type === 'tool_call' &&
  lookingTools.has(item.tool) &&
  item.state.status !== 'failed' &&
  item.state.status !== 'refused'

export const isOver = (turn: TurnView | undefined): boolean =>
  turn?.status !== undefined && ['completed', 'interrupted', 'failed', 'limited'].includes(turn.status.value)

type Entry = { key: string; item?: Item; marker?: MarkerView }

function entriesByTurn(view: ThreadView): { turnId: string | undefined; entries: Entry[] }[] {
  const blocks: { turnId: string | undefined; entries: Entry[] }[] = []
  const byTurn = new Map<string, Entry[]>()
  for (const { key, kind, turnId } of view.timeline) {
    const entry: Entry = { key }
    if (kind === 'item') {
      const item = view.items.get(key)?.item
      if (item === undefined || isHidden(item)) continue
      entry.item = item
    } else {
      const marker = view.markers.get(key)
      if (marker === undefined) continue
      entry.marker = marker
    }
    const known = turnId === undefined ? undefined : byTurn.get(turnId)
    if (known) known.push(entry)
    else {
      const entries = [entry]
      blocks.push({ turnId, entries })
      if (turnId !== undefined) byTurn.set(turnId, entries)
    }
  }
  return blocks
}

/** Plans have their own panel; the calls behind plans and questions say nothing that the items do not. */
const isHidden = (item: Item): boolean =>
  (item.type === 'tool_call' &&
    (item.tool === 'update_plan' || item.tool === 'request_user_input') &&
    item.state.status !== 'failed' &&
    item.state.status !== 'refused') ||
  (item.type === 'reasoning' && item.hidden === true && item.text.text === '')

function pushEntries(rows: Row[], entries: readonly Entry[], inTurn: boolean): void {
  let run: string[] = []
  const flush = (): void => {
    const [first] = run
    if (first !== undefined && run.length === 1)
      rows.push({ kind: 'item', key: first, itemId: first, inTurn })
    else if (first !== undefined) rows.push({ kind: 'group', key: `group:${first}`, itemIds: run })
    run = []
  }
  for (const { key, item, marker } of entries) {
    if (item && isLooking(item)) {
      run.push(key)
      continue
    }
    flush()
    if (marker) rows.push({ kind: 'marker', key, marker })
    else rows.push({ kind: 'item', key, itemId: key, inTurn })
  }
  flush()
}

/** What people said, and where a window took over: a turn begins with it, and it is never folded. */
const isBeginning = (item: Item | undefined): boolean =>
  item?.type === 'user_message' || item?.type === 'hand_over'

/** Index from which on the entries are the answer: the agent's last words with nothing done after them. */
function answerFrom(entries: readonly Entry[]): number {
  let index = entries.length
  while (index > 0) {
    const item = entries[index - 1]?.item
    if (item?.type === 'agent_message' || item?.type === 'notice') index -= 1
    else break
  }
  return index
}

export function deriveRows(view: ThreadView, options: RowOptions): Row[] {
  const rows: Row[] = []
  if (options.hasOlder) rows.push({ kind: 'older', key: 'older' })
  const shown = new Set<string>()
  for (const { turnId, entries } of entriesByTurn(view)) {
    if (turnId === undefined) {
      pushEntries(rows, entries, false)
      continue
    }
    shown.add(turnId)
    const turn = view.turns.get(turnId)
    if (!isOver(turn)) {
      pushEntries(rows, entries, true)
      rows.push({ kind: 'working', key: `working:${turnId}`, turnId })
      continue
    }
    let asked = 0
    while (isBeginning(entries[asked]?.item)) asked += 1
    const answer = Math.max(asked, answerFrom(entries))
    pushEntries(rows, entries.slice(0, asked), true)
    const work = entries.slice(asked, answer)
    const open = options.unfolded.has(turnId)
    rows.push({ kind: 'turn', key: `turn:${turnId}`, turnId, foldable: work.length > 0, open })
    // Where a window took over, and what people said meanwhile, is told even when the work is folded away.
    pushEntries(rows, open ? work : work.filter(({ item }) => isBeginning(item)), true)
    pushEntries(rows, entries.slice(answer), true)
    if (turn?.status?.value !== 'completed') rows.push({ kind: 'end', key: `end:${turnId}`, turnId })
  }
  for (const turn of view.turns.values()) {
    if (!shown.has(turn.id) && turn.startedAt !== undefined && !isOver(turn))
      rows.push({ kind: 'working', key: `working:${turn.id}`, turnId: turn.id })
  }
  for (const op of options.pending) rows.push({ kind: 'pending', key: `pending:${op.clientId}`, op })
  return rows
}
