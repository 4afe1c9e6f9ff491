import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parsePatch } from './parse.ts'
import { shellPatch } from './shell.ts'

const folder = join(process.env.CASES_DIR ?? resolve('../shared/cases'), 'apply-patch')
const read = <T>(name: string): T[] =>
  existsSync(folder) ? (JSON.parse(readFileSync(join(folder, name), 'utf8')) as T[]) : []

describe.skipIf(!existsSync(folder))('commands with a known reading', () => {
  const cases = read<{ argv: string[]; is_patch: boolean | string; workdir: string | null }>(
    'shell-invocations.json',
  )
  it.each(cases.map((entry, index) => [index, entry] as const))(
    'form %i',
    (_index, { argv, is_patch, workdir }) => {
      const found = shellPatch(argv)
      if (typeof is_patch === 'string') expect(found.type).toBe('bare')
      else if (!is_patch) expect(found.type).toBe('other')
      else {
        expect(found).toMatchObject({ type: 'patch', workdir })
        if (found.type === 'patch') expect(parsePatch(found.patch)).toHaveLength(1)
      }
    },
  )

  const written = read<{ argv: string[]; patch: string; parse_ok: boolean }>('patches-written-by-models.json')
  it.each(written.map((entry, index) => [index, entry] as const))(
    'written by a model: %i',
    (_index, entry) => {
      const found = shellPatch(entry.argv)
      const parse = () => parsePatch(found.type === 'patch' ? found.patch : entry.patch)
      if (entry.parse_ok) expect(parse().length).toBeGreaterThan(0)
      else expect(parse).toThrow()
      if (found.type === 'patch') expect(found.patch.trim()).toBe(entry.patch.trim())
    },
  )
})

describe('a command that is more than a patch', () => {
  const patch = '*** Begin Patch\n*** Delete File: f\n*** End Patch'
  it.each([
    `apply_patch <<'E'\n${patch}\nE\nrm -rf x`,
    `apply_patch <<'E' | cat\n${patch}\nE`,
    `cd $HOME && apply_patch <<'E'\n${patch}\nE`,
    `cd a; apply_patch <<'E'\n${patch}\nE`,
    `echo x && apply_patch <<'E'\n${patch}\nE`,
    `apply_patch <<'E'\n${patch}`,
  ])('is left to the shell: %s', (script) => {
    expect(shellPatch(['bash', '-lc', script]).type).toBe('other')
  })
})
