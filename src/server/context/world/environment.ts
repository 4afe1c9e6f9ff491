/** Where commands run: directory, shell, tools, date. The day alone changes by itself. */
import type { Section } from './section.ts'

export type EnvironmentFacts = {
  cwd: string
  /** Milliseconds since 1970, UTC. */
  now: number
}

export const environmentSection = (facts: EnvironmentFacts): Section => {
  const lines = [
    '<environment>',
    `  <cwd>${facts.cwd}</cwd>`,
    '  <shell>bash</shell>',
    '  <system>Linux container of this thread alone; files stay between turns</system>',
    `  <date>${new Date(facts.now).toISOString().slice(0, 10)}</date>`,
    '  <timezone>UTC</timezone>',
    '</environment>',
  ]
  const value = lines.join('\n')
  return {
    id: 'environment',
    role: 'developer',
    value,
    changed: () => `The environment changed. This holds from now on:\n${value}`,
  }
}
