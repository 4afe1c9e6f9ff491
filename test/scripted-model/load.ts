// Scenario files: modules whose default export is one scenario or several.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { demoScenario } from '../../src/server/providers/demo/demo-scenario.ts'
import type { Scenario } from './scripted-model.ts'

const FOLDER = join(import.meta.dirname, 'scenarios')

/** The demo model, the scenarios folder, then `files`; a later one of the same name replaces an earlier one. */
export async function loadScenarios(files: readonly string[] = []): Promise<Scenario[]> {
  const own = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => join(FOLDER, name))
  const loaded = await Promise.all(
    [...own, ...files].map(async (file) => {
      const module = (await import(pathToFileURL(file).href)) as { default: Scenario | Scenario[] }
      return module.default
    }),
  )
  return [demoScenario, ...loaded.flat()]
}
