import { describe, expect, it } from 'vitest'
import { casesIn } from '../../../../test/setup/cases.ts'
import { parsePatch } from './parse.ts'
import { shellPatch } from './shell.ts'

const cases = casesIn('apply-patch')
type Invocation = { argv: string[]; is_patch: boolean | string; workdir: string | null }
type Written = { argv: string[]; patch: string; parse_ok: boolean }

describe.skipIf(!cases.present)('commands with a known reading (needs CASES_DIR)', () => {
  const invocations = cases.list<Invocation>('shell-invocations.json')
  const written = cases.list<Written>('patches-written-by-models.json')
  it('are there', () => expect(invocations.length * written.length).toBeGreaterThan(0))

  it.each(invocations)('form %i', (_index, { argv, is_patch, workdir }) => {
    const found = shellPatch(argv)
    if (typeof is_patch === 'string') expect(found.type).toBe('bare')
    else if (!is_patch) expect(found.type).toBe('other')
    else {
      expect(found).toMatchObject({ type: 'patch', workdir })
      if (found.type === 'patch') expect(parsePatch(found.patch)).toHaveLength(1)
    }
  })

  it.each(written)('written by a model: %i', (_index, entry) => {
    const found = shellPatch(entry.argv)
    const parse = () => parsePatch(found.type === 'patch' ? found.patch : entry.patch)
    if (entry.parse_ok) expect(parse().length).toBeGreaterThan(0)
    else expect(parse).toThrow()
    if (found.type === 'patch') expect(found.patch.trim()).toBe(entry.patch.trim())
  })
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
