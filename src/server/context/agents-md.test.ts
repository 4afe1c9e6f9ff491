import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { casesIn } from '../../../test/setup/cases.ts'
import { type RulesFiles, type RulesOptions, readRules } from './agents-md.ts'

const { path: cases, present: hasCases } = casesIn('agents-md')

const disk: RulesFiles = {
  exists: async (path) => existsSync(path),
  async read(path, limit) {
    try {
      return statSync(path).isFile() ? readFileSync(path).subarray(0, limit) : null
    } catch {
      return null
    }
  },
}

/** The two settings that the cases use, from their TOML lines. */
const optionsOf = (config: string | null | undefined): Partial<RulesOptions> => {
  const limit = /project_doc_max_bytes\s*=\s*(\d+)/.exec(config ?? '')?.[1]
  const names = /project_doc_fallback_filenames\s*=\s*(\[.*\])/.exec(config ?? '')?.[1]
  const markers = /project_root_markers\s*=\s*(\[.*\])/.exec(config ?? '')?.[1]
  return {
    ...(limit === undefined ? {} : { limitBytes: Number(limit) }),
    ...(names === undefined ? {} : { fallbackNames: JSON.parse(names) as string[] }),
    ...(markers === undefined ? {} : { rootMarkers: JSON.parse(markers) as string[] }),
  }
}

const inTree = async (fill: (root: string) => void, run: (root: string) => Promise<void>): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), 'baton-rules-'))
  try {
    fill(root)
    await run(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

type Tree = Record<string, string | { symlink: string }>
const write = (root: string, tree: Tree): void => {
  for (const [path, entry] of Object.entries(tree)) {
    const target = join(root, path)
    mkdirSync(dirname(target), { recursive: true })
    // The cases hold bytes as Latin-1, so that texts that are no UTF-8 can be told.
    if (typeof entry === 'string') writeFileSync(target, entry, bytesOf(entry))
    else symlinkSync(entry.symlink, target)
  }
}
const bytesOf = (text: string): 'latin1' | 'utf8' =>
  [...text].every((letter) => letter.charCodeAt(0) < 256) ? 'latin1' : 'utf8'

type Precedence = {
  name: string
  git: boolean
  cwd: string
  config: string | null
  home: Tree
  tree: Tree
  result: { text: string | null }
}

describe('the order of AGENTS.md files', () => {
  const file = join(cases, 'precedence-cases.json')
  const list = hasCases ? (JSON.parse(readFileSync(file, 'utf8')) as Precedence[]) : []

  if (!hasCases) it.skip('precedence cases are not here: set CASES_DIR')

  it.each(list)('$name', async ({ git, cwd, config, home, tree, result }) => {
    const fill = (root: string): void => {
      mkdirSync(join(root, 'project', git ? '.git' : ''), { recursive: true })
      mkdirSync(join(root, 'home'))
      write(join(root, 'project'), tree)
      write(join(root, 'home'), home)
      mkdirSync(join(root, 'project', cwd), { recursive: true })
    }
    await inTree(fill, async (root) => {
      const project = join(root, 'project')
      const rules = await readRules(disk, {
        cwd: join(project, cwd),
        home: join(root, 'home'),
        ...optionsOf(config),
      })
      expect(rules?.text.replace(project, '<ROOT>') ?? null).toBe(result.text)
    })
  })
})

type Expected = { cases: { cwd: string; config?: string; result: { text: string | null } }[] }

describe('the rules of real repositories', () => {
  const repositories = hasCases
    ? readdirSync(cases).filter((name) => existsSync(join(cases, name, 'expected.json')))
    : []

  if (!hasCases) it.skip('repository cases are not here: set CASES_DIR')

  it.each(repositories)('%s', async (name) => {
    const expected = JSON.parse(readFileSync(join(cases, name, 'expected.json'), 'utf8')) as Expected
    const root = join(cases, name, 'tree')
    // The trees come without their `.git`; its place is known.
    const files: RulesFiles = { ...disk, exists: async (path) => path === join(root, '.git') }
    for (const { cwd, config, result } of expected.cases) {
      const rules = await readRules(files, { cwd: join(root, cwd), ...optionsOf(config) })
      expect(rules?.text.replace(root, '<ROOT>') ?? null, cwd).toBe(result.text)
    }
  })
})

describe('without a repository', () => {
  it('only the own file of the working directory counts', async () => {
    const fill = (root: string): void => write(root, { 'AGENTS.md': 'outer', 'a/AGENTS.md': 'inner' })
    await inTree(fill, async (root) => {
      expect((await readRules(disk, { cwd: join(root, 'a') }))?.text).toContain(
        '<INSTRUCTIONS>\ninner\n</INSTRUCTIONS>',
      )
    })
  })

  it('the nearest repository is the root, and no text is no UTF-8', async () => {
    const fill = (root: string): void => {
      mkdirSync(join(root, '.git'))
      write(root, { 'AGENTS.md': 'outer', 'a/.git': 'gitdir: x', 'a/AGENTS.md': 'a \xff' })
    }
    await inTree(fill, async (root) => {
      expect((await readRules(disk, { cwd: join(root, 'a') }))?.text).toContain(
        '<INSTRUCTIONS>\na \ufffd\n</INSTRUCTIONS>',
      )
    })
  })
})
