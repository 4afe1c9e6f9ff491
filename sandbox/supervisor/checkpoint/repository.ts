// The shadow repository: where objects lie and what git is asked about them. Git is run here only on our own bare
// repository, without system and user configuration, so nothing of the workspace decides what it does.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Failure, notFound } from '../failure.ts'
import { EMPTY_TREE, idsOfIndex, PackWriter } from './objects.ts'

const OUTPUT_MAX_BYTES = 1024 * 1024 * 1024
/** So many packs are looked through one by one before git gets a common index for them. */
const PACKS_PER_INDEX = 50
const hex = /^[0-9a-f]{40}$/

/** What outlives a restart of the container: what the last checkpoint was, and what it had to leave out. */
export interface LastCheckpoint {
  tree: string
  snapshot: string
  keep: string[]
}

export class Repository {
  readonly folder: string
  private readonly known = new Set<string>()
  private packs = 0

  constructor(folder: string) {
    this.folder = folder
    if (!existsSync(`${folder}/HEAD`)) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      this.git(['init', '--quiet', '--bare', '--template=', folder])
    }
    mkdirSync(this.packFolder, { recursive: true })
    for (const name of readdirSync(this.packFolder)) {
      if (name.startsWith('tmp_')) rmSync(`${this.packFolder}/${name}`, { force: true })
      if (/^pack-.*\.idx$/.test(name)) this.load(name)
    }
  }

  get packFolder(): string {
    return `${this.folder}/objects/pack`
  }

  has(id: string): boolean {
    return id === EMPTY_TREE || this.known.has(id)
  }

  writer(): PackWriter {
    return new PackWriter(this.packFolder)
  }

  added(ids: string[]): void {
    for (const id of ids) this.known.add(id)
    if (++this.packs % PACKS_PER_INDEX === 0) this.git(['multi-pack-index', 'write'])
  }

  /** Takes a pack from outside: git checks it and makes its index. Answers how many objects it has. */
  take(bytes: Buffer): number {
    const result = this.git(['index-pack', '--stdin'], { input: bytes, allow: true })
    const id = /[0-9a-f]{40}/.exec(result.toString())?.[0]
    if (result.status !== 0 || !id)
      throw new Failure(
        'bad_input',
        `This is no pack: ${result.words}`,
        'Send a pack that was made by a checkpoint.',
      )
    return this.load(`pack-${id}.idx`)
  }

  last(): LastCheckpoint | null {
    try {
      const value: LastCheckpoint = JSON.parse(readFileSync(`${this.folder}/last.json`, 'utf8'))
      return this.has(value.tree) ? value : null
    } catch {
      return null
    }
  }

  remember(last: LastCheckpoint): void {
    writeFileSync(`${this.folder}/last.json.new`, JSON.stringify(last))
    renameSync(`${this.folder}/last.json.new`, `${this.folder}/last.json`)
  }

  /** A tree's id as it may be given to git; `empty` is the tree without files. */
  tree(id: string): string {
    if (id === 'empty') return EMPTY_TREE
    if (!hex.test(id))
      throw new Failure('bad_input', `${JSON.stringify(id)} is no object id.`, 'Give 40 hex digits.')
    if (!this.has(id)) throw notFound(`There is no object ${id} in this container.`)
    return id
  }

  /**
   * Runs git on the repository; what it prints. With `allow` a failure is an answer, else it is thrown.
   * @throws Failure `internal`
   */
  git(
    args: string[],
    options: { input?: Buffer; allow?: boolean; maxBytes?: number } = {},
  ): Buffer & { status: number; words: string } {
    const result = spawnSync('/usr/bin/git', args, {
      cwd: '/',
      input: options.input ?? Buffer.alloc(0),
      maxBuffer: options.maxBytes ?? OUTPUT_MAX_BYTES,
      env: {
        ...process.env,
        GIT_DIR: this.folder,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_LITERAL_PATHSPECS: '1',
        GIT_OPTIONAL_LOCKS: '0',
        LC_ALL: 'C',
      },
    })
    const words = result.stderr?.toString('utf8').trim() ?? ''
    const full = result.error && 'code' in result.error && result.error.code === 'ENOBUFS'
    const status = full ? 0 : (result.status ?? 1)
    if (status !== 0 && !options.allow)
      throw new Failure(
        'internal',
        `git ${args[0]}: ${words || result.error?.message || status}`,
        'Try again.',
      )
    return Object.assign(result.stdout ?? Buffer.alloc(0), { status, words })
  }

  private load(index: string): number {
    const ids = idsOfIndex(`${this.packFolder}/${index}`)
    for (const id of ids) this.known.add(id)
    this.packs++
    return ids.length
  }
}
