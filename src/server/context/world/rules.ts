/** The rules that the workspace's AGENTS.md files set. They are the repository's words, so they speak as the user. */
import { readableText } from '../text.ts'
import type { Section } from './section.ts'

/** `text` comes from `readRules`; null = there are no rules. */
export const rulesSection = (text: string | null): Section => ({
  id: 'rules',
  role: 'user',
  value: text === null ? null : readableText(text),
  changed: (now) =>
    now === null
      ? 'The AGENTS.md instructions given before no longer apply: the files are gone.'
      : `These AGENTS.md instructions replace all AGENTS.md instructions given before.\n\n${now}`,
})
