/** The formats that can be read, by name. */
import type { ImportFormat } from '../../../../protocol/import.ts'
import type { Format } from '../types.ts'
import { baton } from './baton.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { inspect } from './inspect.ts'
import { openhands } from './openhands.ts'
import { pi } from './pi.ts'
import { sweAgent } from './swe-agent.ts'

export const formats: Record<ImportFormat, Format> = {
  baton,
  'claude-code': claudeCode,
  codex,
  inspect,
  openhands,
  pi,
  'swe-agent': sweAgent,
}
