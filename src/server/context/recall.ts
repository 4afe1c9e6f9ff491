/** What a thread remembers at a hand-over: facts from its log and notes, each with where the whole of it stands. */
import type { EventBody, FileChange } from '../../protocol/event.ts'
import type { Item, PlanEntry, WindowReason } from '../../protocol/item.ts'
import type { NoteFile } from '../../protocol/note.ts'

/** Where something stands in the history. */
export type Place = { itemId: string; windowId: string }

export type Recall = {
  /** The agent's name, for example `/root`. */
  agentPath: string
  /** The thread's first message, and the newest ones oldest first; `text` may be cut. */
  goal: (Place & { text: string }) | null
  requests: (Place & { text: string })[]
  /** The last thing that the agent said. */
  answer: (Place & { text: string }) | null
  /** The last question that a person answered, with the answer. */
  question: (Place & { text: string }) | null
  plan: (Place & { entries: PlanEntry[]; explanation: string | null }) | null
  /** What the workspace differs in from where the thread began. */
  changes: { files: FileChange[]; fileCount: number; additions: number; deletions: number } | null
  /** `session` is the number by which tools know the command. */
  commands: (Place & { command: string; session: number })[]
  failure: (Partial<Place> & { what: string; text: string }) | null
  /** The workspace's rules as they were read last; null when nobody has read them yet, no files = there are none. */
  rules: EventBody<'rules.changed'> | null
  notes: { files: NoteFile[]; total: number }
  /** The newest windows, oldest first, the one that ends last; `total` counts all. */
  windows: { list: { windowId: string; index: number }[]; total: number; firstWindowId: string }
  /** Whole, in the order in which they were pinned. */
  pinned: Item[]
}

/** Why the window was opened, in words for the model. */
export const reasonWords: Record<WindowReason, string> = {
  first_turn: 'the thread began',
  asked: 'you called new_context',
  budget: 'the window before it was full',
  overflow: 'the window before it was longer than the model takes',
  person: 'a person asked for it',
  model_changed: 'the model was changed',
  tools_changed: 'the tools were changed',
  thinking_changed: 'thinking was switched',
  results_cut: 'old tool results were cut to make room',
  middle_cut: 'calls in the middle were removed to make room',
  latest_only: 'all but the latest messages was removed to make room',
  oldest_dropped: 'the oldest part was dropped to make room',
}
