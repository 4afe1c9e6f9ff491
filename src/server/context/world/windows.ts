/** How the thread outlives its windows, and what the model does about it. */
import type { Strategy } from '../../../protocol/settings.ts'
import type { Section } from './section.ts'

const lines: Record<Strategy, string[]> = {
  windows: [
    'This thread may outlast your context window. When the window is full a new one starts; nothing is summarised. The new one has the instructions, the rules, the current request, the plan and a short hint, and you go on from your notes and the history.',
    'Keep a short checkpoint in your notes while you work (notes_write, notes_append): the goal, decisions and their reasons, what is done, what was tried and failed, facts you will need later (numbers, names, paths, ports), next steps, and the item ids of important requests and results. Write it down when you learn it, not at the end.',
    'get_context_remaining tells how much is left. Call new_context after saving your notes, at a good place to go on from. When a window begins with a hint, read your notes first (notes_list, notes_read), then look in the history (history_search, history_read_item) for what they do not have, before you ask or do again what was done.',
  ],
  handoff: [
    'This thread may outlast your context window. When the window is full you are asked for a hand-over document, and a new window goes on from it and the newest messages of people.',
    'Notes (notes_write, notes_read) and the whole history (history_search, history_read_item) stay within reach from every window; note down exact facts that you will need later.',
  ],
  layers: [
    'This thread may outlast your context window. As it fills, old tool results are cut, then calls from the middle are taken out, and at last all but the latest messages.',
    'Notes (notes_write, notes_read) and the whole history (history_search, history_read_item) stay within reach; note down exact facts that you will need later.',
  ],
}

/** `null` = the tools have no notes and no history. */
export const windowsSection = (strategy: Strategy | null): Section => {
  const value =
    strategy === null ? null : `<context_windows>\n${lines[strategy].join('\n')}\n</context_windows>`
  return {
    id: 'windows',
    role: 'developer',
    value,
    changed: (now) => `How context windows are dealt with changed:\n${now ?? ''}`,
  }
}
