/** Which model answers, so that it can say so. */
import type { Section } from './section.ts'

export const modelSection = (model: { id: string; label: string }): Section => {
  const value = `<model>${model.label} (${model.id})</model>`
  return { id: 'model', role: 'developer', value, changed: (now) => `The model changed: ${now ?? value}` }
}
