/** The project's own developer instructions, written by the team in its settings. */
import { readableText } from '../text.ts'
import type { Section } from './section.ts'

export const projectSection = (instructions: string): Section => {
  const text = readableText(instructions.trim())
  const value = text === '' ? null : `<project_instructions>\n${text}\n</project_instructions>`
  return {
    id: 'project',
    role: 'developer',
    value,
    changed: (now) =>
      now === null
        ? 'The project instructions given before no longer apply.'
        : `The project instructions changed. These replace all given before:\n${now}`,
  }
}
