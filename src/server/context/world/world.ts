/**
 * The world state: all parts in their order, in full for a window that was told nothing, afterwards only those that
 * differ from what the window was told last.
 */
import { sha256 } from '../../../lib/sha256.ts'
import type { Strategy, ThreadSettings } from '../../../protocol/settings.ts'
import type { Wire } from '../../providers/types.ts'
import type { NewBlock, WindowState } from '../types.ts'
import { append } from '../window.ts'
import { type EnvironmentFacts, environmentSection } from './environment.ts'
import { modelSection } from './model.ts'
import { permissionsSection } from './permissions.ts'
import { projectSection } from './project.ts'
import { rulesSection } from './rules.ts'
import { type Section, sectionBlock } from './section.ts'
import { windowsSection } from './windows.ts'

export type WorldFacts = {
  environment: EnvironmentFacts
  settings: Pick<ThreadSettings, 'permission' | 'approvals' | 'egress'>
  model: { id: string; label: string }
  projectInstructions: string
  /** Undefined = nobody has looked yet (the sandbox does not run): then nothing is said about them. */
  rules: string | null | undefined
  /** Null = the model has no tools for notes and history, so there is nothing to tell of them. */
  strategy: Strategy | null
}

const sectionsOf = (facts: WorldFacts): Section[] => [
  ...(facts.rules === undefined ? [] : [rulesSection(facts.rules)]),
  permissionsSection(facts.settings),
  modelSection(facts.model),
  projectSection(facts.projectInstructions),
  windowsSection(facts.strategy),
  environmentSection(facts.environment),
]

/** Appends what is new to the window; [] when nothing differs. */
export const appendWorld = (window: WindowState, wire: Wire, facts: WorldFacts): NewBlock[] => {
  const rows: NewBlock[] = []
  const isStart = window.told.size === 0
  for (const section of sectionsOf(facts)) {
    const fingerprint = sha256(section.value ?? '')
    const told = window.told.get(section.id)
    if (told === fingerprint || (told === undefined && section.value === null)) continue
    const block = sectionBlock(section, told !== undefined)
    const reason = isStart ? 'window_start' : 'changed'
    const row = append(window, wire, block, { reason, section: { id: section.id, fingerprint } })
    if (row !== null) rows.push(row)
  }
  return rows
}
