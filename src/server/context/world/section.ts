/**
 * A part of the world state: what is true around the conversation. Each part is told in full at a window's start and
 * again, whole, when it changed; what was said before is never edited.
 */
import type { PromptBlock, PromptPart } from '../../providers/types.ts'

export type Section = {
  /** Stable: the rows of a window are found again by it. */
  id: string
  /** Developer words are the harness's own; what comes out of a workspace speaks as the user. */
  role: 'developer' | 'user'
  /** What is true now; null = there is nothing to tell. Compared by its text. */
  value: string | null
  /** Said instead when the value is told again, or went away, within a window. */
  changed: (value: string | null) => string
}

export const sectionBlock = (section: Section, isChange: boolean): PromptBlock => {
  const text = isChange ? section.changed(section.value) : (section.value ?? '')
  const parts: PromptPart[] = [{ type: 'text', text }]
  return { kind: section.role, parts }
}
