// Holds the walls between the rooms: who may import whom, no cycles, sizes, who may read the environment.
// No baseline file: a rule that does not fit is changed here, for everybody, with a reason.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** Room → rank. A file belongs to the longest prefix that matches; imports go to lower ranks only. */
const RANKS: Record<string, number> = {
  'src/lib/': 0,
  'src/server/env.ts': 0,
  'src/server/log.ts': 0,
  'src/protocol/': 1,
  // What server and container say to each other; see "libraries stay behind their room".
  'sandbox/supervisor/protocol.ts': 1,
  'src/i18n/': 1,
  'src/server/context/': 2,
  'src/server/providers/': 2,
  'src/server/sandbox/': 2,
  'src/server/store/': 2,
  'src/server/tools/': 2,
  'src/server/agent/': 3,
  'src/server/access/': 3,
  'src/server/integrations/': 3,
  'src/server/auth/': 3,
  'src/server/rollouts/': 3,
  'src/server/search/': 3,
  'src/server/links/': 4,
  'src/server/runtime/': 4,
  'src/server/trpc/': 5,
  'src/server/http/': 5,
  'src/client/': 5,
  'src/components/': 6,
  'src/app/': 7,
  'src/proxy.ts': 7,
  'src/instrumentation-client.ts': 7,
  'src/server/boot.ts': 7,
  'src/server/doors.ts': 7,
  'src/server/main.ts': 8,
}

const LINE_LIMIT = 500
const SKIPPED_FOLDERS = new Set([
  'node_modules',
  '.git',
  '.next',
  'dist',
  'generated',
  'coverage',
  'test-results',
  'playwright-report',
])
const REFUSED_FOLDERS = new Set(['utils', 'util', 'helpers', 'services', 'common', 'types', 'misc', 'shared'])

interface Import {
  from: string
  specifier: string
  /** The file within the project, or undefined for a package. */
  target: string | undefined
  typeOnly: boolean
}

function walk(folder: string): string[] {
  const found: string[] = []
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (SKIPPED_FOLDERS.has(entry.name)) continue
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) found.push(...walk(path))
    else if (entry.isFile()) found.push(path)
  }
  return found
}

const files = walk('')
const isCode = (path: string): boolean => /\.(ts|tsx|mts|mjs)$/.test(path)
const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path) || /^(test|e2e)\//.test(path)
const code = files.filter(isCode)
const text = new Map<string, string>()
const read = (path: string): string => {
  const known = text.get(path)
  if (known !== undefined) return known
  const loaded = readFileSync(join(root, path), 'utf8')
  text.set(path, loaded)
  return loaded
}

function withoutComments(source: string): string {
  return source.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/^\s*\/\/.*$/gm, '')
}

function roomOf(path: string): string | undefined {
  return Object.keys(RANKS)
    .filter((prefix) => path === prefix || (prefix.endsWith('/') && path.startsWith(prefix)))
    .sort((a, b) => b.length - a.length)[0]
}

function locate(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  const base = relative(root, resolve(root, dirname(from), specifier))
  const tried = [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`, `${base}/index.tsx`]
  return tried.find((path) => existsSync(join(root, path)) && statSync(join(root, path)).isFile()) ?? base
}

const STATEMENT = /^(?:import|export)\s+(type\s)?([^'";]*?)\bfrom\s*['"]([^'"\n]+)['"]/gm
const BARE = /^import\s*['"]([^'"\n]+)['"]/gm
const DYNAMIC = /\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g

function importsOf(from: string): Import[] {
  const source = withoutComments(read(from))
  const found: Import[] = []
  const add = (specifier: string | undefined, typeOnly: boolean): void => {
    if (specifier !== undefined) found.push({ from, specifier, target: locate(from, specifier), typeOnly })
  }
  for (const [, type, names, specifier] of source.matchAll(STATEMENT)) {
    const listed = names?.match(/^\s*\{([\s\S]*)\}\s*$/)?.[1]?.split(',') ?? []
    const named = listed.map((name) => name.trim()).filter((name) => name !== '')
    const allTypes = named.length > 0 && named.every((name) => name.startsWith('type '))
    add(specifier, type !== undefined || allTypes)
  }
  for (const [, specifier] of source.matchAll(BARE)) add(specifier, false)
  for (const match of source.matchAll(DYNAMIC)) {
    const before = source.slice(Math.max(0, match.index - 8), match.index)
    add(match[1], /typeof\s*$/.test(before) || /[:<|]\s*$/.test(before))
  }
  return found
}

const source = code.filter((path) => path.startsWith('src/') && !isTest(path))
const imports = source.flatMap(importsOf)
const inRoom = (path: string, ...rooms: string[]): boolean => rooms.some((room) => path.startsWith(room))

describe('rooms', () => {
  it('every source file has a room with a rank', () => {
    expect(source.filter((path) => roomOf(path) === undefined)).toEqual([])
  })

  it('a file imports from a lower rank only; rooms of one rank share only types.ts, in types', () => {
    const broken: string[] = []
    for (const { from, target, typeOnly } of imports) {
      if (target === undefined || target.endsWith('.json') || target.endsWith('.css')) continue
      if (target.startsWith('src/server/store/generated')) continue
      const own = roomOf(from)
      const other = roomOf(target)
      if (own === undefined || own === other) continue
      if (other === undefined) {
        broken.push(`${from} imports ${target}, which is in no room`)
        continue
      }
      const [ownRank, otherRank] = [RANKS[own] ?? 0, RANKS[other] ?? 0]
      const sharedTypes = ownRank === otherRank && typeOnly && target.endsWith('/types.ts')
      const bothRankZero = ownRank === 0 && otherRank === 0 && target === 'src/server/env.ts'
      if (ownRank > otherRank || sharedTypes || bothRankZero) continue
      broken.push(`${from} (rank ${ownRank}) imports ${target} (rank ${otherRank})`)
    }
    expect(broken).toEqual([])
  })

  it('no file imports itself over others', () => {
    const edges = new Map<string, string[]>()
    for (const { from, target, typeOnly } of imports) {
      if (target === undefined || typeOnly || from === target) continue
      edges.set(from, [...(edges.get(from) ?? []), target])
    }
    const state = new Map<string, 'open' | 'done'>()
    const cycles: string[] = []
    const visit = (path: string, trail: string[]): void => {
      if (state.get(path) === 'done') return
      if (state.get(path) === 'open') {
        cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
        return
      }
      state.set(path, 'open')
      for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
      state.set(path, 'done')
    }
    for (const path of source) visit(path, [])
    expect(cycles).toEqual([])
  })

  it('nothing in src imports tests, scripts or journeys', () => {
    const broken = imports.filter(
      ({ target }) => target !== undefined && /^(test|e2e|scripts)\//.test(target),
    )
    expect(broken.map(({ from, target }) => `${from} imports ${target}`)).toEqual([])
  })

  it('the browser gets no server code', () => {
    const browser = ['src/client/', 'src/components/', 'src/protocol/']
    const broken = imports.filter(
      ({ from, specifier, target, typeOnly }) =>
        inRoom(from, ...browser) &&
        !typeOnly &&
        (specifier.startsWith('node:') || target?.startsWith('src/server/') === true),
    )
    expect(broken.map(({ from, specifier }) => `${from} imports ${specifier}`)).toEqual([])
  })
})

describe('libraries stay behind their room', () => {
  /** Package (or start of one) → the only places that may import it at run time or in types. */
  const HOMES: [RegExp, string[]][] = [
    [/^dockerode$/, ['src/server/sandbox/']],
    [/^(@prisma\/|pg$)/, ['src/server/store/', 'src/server/auth/']],
    [/^(openai|@anthropic-ai\/)/, ['src/server/providers/']],
    [/^better-auth/, ['src/server/auth/', 'src/client/']],
    [
      /^next(\/|$)/,
      [
        'src/i18n/request.ts',
        'src/app/',
        'src/components/',
        'src/proxy.ts',
        'src/server/main.ts',
        'src/server/http/',
      ],
    ],
  ]

  it('each library is imported only where it lives', () => {
    const broken: string[] = []
    for (const { from, specifier } of imports) {
      for (const [library, homes] of HOMES) {
        if (library.test(specifier) && !homes.some((home) => from.startsWith(home)))
          broken.push(`${from} imports ${specifier}; its home is ${homes.join(', ')}`)
      }
    }
    expect(broken).toEqual([])
  })

  it('what is said to the container is known to one room', () => {
    const broken = imports.filter(
      ({ from, target }) =>
        target === 'sandbox/supervisor/protocol.ts' && !from.startsWith('src/server/sandbox/'),
    )
    expect(broken.map(({ from }) => from)).toEqual([])
  })

  it('agent and tools read neither environment nor clock nor log', () => {
    const broken: string[] = []
    for (const { from, target } of imports) {
      if (!inRoom(from, 'src/server/agent/')) continue
      if (target === 'src/server/env.ts' || target === 'src/server/log.ts')
        broken.push(`${from} imports ${target}`)
    }
    for (const path of source.filter((file) => inRoom(file, 'src/server/agent/'))) {
      const used = withoutComments(read(path)).match(/\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/)
      if (used !== null) broken.push(`${path} uses ${used[0]}`)
    }
    expect(broken).toEqual([])
  })

  it('only env.ts reads process.env and only log.ts writes to stdout', () => {
    const broken: string[] = []
    for (const path of source) {
      const body = withoutComments(read(path))
      if (path !== 'src/server/env.ts' && /\bprocess\.env\b/.test(body))
        broken.push(`${path} reads process.env`)
      if (path !== 'src/server/log.ts' && /\bprocess\.stdout\b/.test(body))
        broken.push(`${path} writes stdout`)
    }
    expect(broken).toEqual([])
  })
})

describe('files', () => {
  it(`no file of code is longer than ${LINE_LIMIT} lines`, () => {
    const measured = files.filter((path) => isCode(path) || /\.(c|h|css|sh)$/.test(path))
    const long = measured
      .map((path) => ({ path, lines: read(path).split('\n').length - 1 }))
      .filter(({ lines }) => lines > LINE_LIMIT)
    expect(long.map(({ path, lines }) => `${path}: ${lines}`)).toEqual([])
  })

  it('names are kebab-case and no folder is a drawer for everything', () => {
    const broken: string[] = []
    for (const path of code) {
      const parts = path.split('/')
      const name = parts.pop() ?? ''
      if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*\.(ts|tsx|mts|mjs)$/.test(name)) broken.push(path)
      if (parts.some((folder) => REFUSED_FOLDERS.has(folder))) broken.push(path)
    }
    expect(broken).toEqual([])
  })

  it('no test is skipped or singled out, no checker is silenced, nothing is left for later', () => {
    const refused = [
      /\b(?:describe|it|test)\.(?:only|todo)\(/,
      /\b(?:xit|xdescribe|fdescribe|fit)\(/,
      /@ts-(?:ignore|expect-error|nocheck)/,
      new RegExp('\\b(?:TO' + 'DO|FIX' + 'ME|XX' + 'X)\\b'),
    ]
    const broken: string[] = []
    for (const path of code) {
      if (path === 'test/boundaries.test.ts') continue
      for (const pattern of refused) if (pattern.test(read(path))) broken.push(`${path}: ${pattern}`)
    }
    expect(broken).toEqual([])
  })
})

describe('words', () => {
  const documents = files.filter((path) => /^[^/]+\.md$/.test(path) || /^docs\/.*\.md$/.test(path))
  const top = new Set(files.map((path) => path.split('/')[0] ?? ''))

  it('every path that a document names exists', () => {
    const missing: string[] = []
    for (const document of documents) {
      const body = read(document).replace(/^```[\s\S]*?^```/gm, '')
      const quoted = [...body.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '')
      const linked = [...body.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map((match) => match[1] ?? '')
      for (const path of [...quoted, ...linked.filter((link) => !/^[a-z]+:/.test(link))]) {
        const clean = path.replace(/^\.\//, '').replace(/\/$/, '')
        const isPath =
          /^[\w.@()[\]-]+(\/[\w.@()[\]-]+)+$/.test(clean) || /^[\w.-]+\.(md|json|yml|ts)$/.test(clean)
        if (!isPath || !(top.has(clean.split('/')[0] ?? '') || linked.includes(path))) continue
        if (!existsSync(join(root, clean))) missing.push(`${document}: ${path}`)
      }
    }
    expect(missing).toEqual([])
  })

  it('the project speaks of itself alone', () => {
    // Built from parts, so that this file does not name what it refuses.
    const refused = [
      new RegExp(`(?<![\\w.])/${'wo'}rk/`),
      new RegExp(`/${'tm'}p/b${'t'}/`),
      new RegExp(`\\b${'iss'}ues? #?\\d`, 'i'),
      new RegExp(`\\.\\./${'sha'}red/(?!cases)`),
      /(?<![\w-])(?:registry|mirror)\.[a-z0-9-]+\.(?:local|internal|lan)\b/,
    ]
    const read8 = files.filter((path) =>
      /\.(tsx?|mts|mjs|md|json|ya?ml|css|c|h|sh|sql|prisma|txt)$/.test(path),
    )
    const broken: string[] = []
    for (const path of [...read8, ...files.filter((file) => /(^|\/)Dockerfile$|^\.ci\//.test(file))]) {
      for (const pattern of refused) {
        const found = read(path).match(pattern)
        if (found !== null) broken.push(`${path}: ${found[0]}`)
      }
    }
    expect(broken).toEqual([])
  })

  it('the lock file names no address', () => {
    const addresses = read('package-lock.json').match(/"resolved": "(?!file:|\.\.?\/)[^"]*"/g) ?? []
    expect(addresses).toEqual([])
  })
})
