// A sandbox in memory behind the port: files in a map, commands played by a function. For tests of tools and turns.
import { posix } from 'node:path'
import { Fault } from '../../src/protocol/error.ts'
import { workspacePath } from '../../src/protocol/places.ts'
import type {
  CheckpointResult,
  CommandEnd,
  FileStat,
  OutputChunk,
  RunCommand,
  Sandbox,
} from '../../src/server/sandbox/types.ts'
import { applyPatch } from '../../src/server/tools/patch/apply.ts'
import { memoryFiles } from './memory-files.ts'

/** What a played command can do. Ends with code 0 when the player resolves without a word of its own. */
export type FakeCommand = {
  readonly command: RunCommand
  print(output: string | Uint8Array): void
  end(exitCode: number): void
  /** What was typed so far; the promise resolves when more comes or the command is killed. */
  typed(): string
  more(): Promise<void>
  readonly signal: AbortSignal
}
export type Player = (command: FakeCommand) => void | Promise<void>

type Running = {
  pieces: { offset: number; bytes: Uint8Array }[]
  bytes: number
  end: CommandEnd | null
  input: string
  changed: Set<() => void>
  killed: AbortController
}

/** Plays `echo words`, `cat file`, `exit n`, `true` and `false`; everything else prints nothing and ends with 0. */
const simplePlayer =
  (read: (path: string) => Uint8Array | undefined): Player =>
  ({ command, print, end }) => {
    const script = command.script ?? command.argv?.join(' ') ?? ''
    const [word = '', ...rest] = script.trim().split(/\s+/)
    if (word === 'echo') print(`${rest.join(' ').replace(/^(['"])(.*)\1$/, '$2')}\n`)
    else if (word === 'exit') end(Number(rest[0] ?? 0))
    else if (word === 'false') end(1)
    else if (word === 'cat') {
      const bytes = read(posix.resolve(command.cwd ?? workspacePath, rest[0] ?? ''))
      if (bytes === undefined) {
        print(`cat: ${rest[0]}: No such file or directory\n`)
        end(1)
      } else print(bytes)
    }
  }

export type FakeSandbox = Sandbox & {
  files: Map<string, Uint8Array>
  /** Every command that was accepted, in order. */
  ran: RunCommand[]
  killed: string[]
  play(player: Player): void
  write(path: string, text: string): void
  read(path: string): string | null
}

export const fakeSandbox = (start: Record<string, string> = {}): FakeSandbox => {
  const fs = memoryFiles()
  const { files } = fs
  const commands = new Map<string, Running>()
  const ran: RunCommand[] = []
  const killed: string[] = []
  const full = (path: string): string => posix.resolve(workspacePath, path)
  const write = (path: string, text: string): void => {
    files.set(full(path), new TextEncoder().encode(text))
  }
  for (const [path, text] of Object.entries(start)) write(path, text)
  let player: Player = simplePlayer((path) => files.get(path))
  let status: ReturnType<Sandbox['status']> = 'absent'

  const known = (commandId: string): Running => {
    const running = commands.get(commandId)
    if (!running) throw new Fault('command_lost', 'The command is not known.', 'Run it again.')
    return running
  }
  const tell = (running: Running): void => {
    for (const listener of [...running.changed]) listener()
  }
  const changed = (running: Running, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const done = (): void => {
        running.changed.delete(done)
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      const stop = (): void => {
        running.changed.delete(done)
        reject(signal?.reason)
      }
      if (signal?.aborted) return stop()
      running.changed.add(done)
      signal?.addEventListener('abort', stop, { once: true })
    })
  const finish = (running: Running, end: Partial<CommandEnd>): void => {
    if (running.end) return
    running.end = {
      status: 'exited',
      exitCode: 0,
      signal: null,
      timedOut: false,
      bytes: running.bytes,
      ...end,
    }
    tell(running)
  }

  const stat = async (path: string): Promise<FileStat | null> => {
    const found = await fs.stat(full(path)).catch(() => null)
    const isRoot = full(path) === workspacePath
    if (found === null && !isRoot) return null
    const type = found?.type ?? 'directory'
    return { path: full(path), type, bytes: files.get(full(path))?.length ?? 0, mtimeMs: 0 }
  }

  const checkpointResult: CheckpointResult = {
    tree: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    snapshot: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    previousTree: null,
    changed: false,
    baseTree: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    files: [],
    fileCount: 0,
    additions: 0,
    deletions: 0,
    leftOut: [],
    pack: null,
    durationMs: 0,
  }

  return {
    files,
    ran,
    killed,
    write,
    read: (path) => {
      const bytes = files.get(full(path))
      return bytes === undefined ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    },
    play: (next) => {
      player = next
    },
    status: () => status,
    ensure: async () => {
      status = 'ready'
    },
    run: async (command, signal) => {
      signal?.throwIfAborted()
      status = 'ready'
      if (commands.has(command.commandId)) return { commandId: command.commandId, pid: 1 }
      const running: Running = {
        pieces: [],
        bytes: 0,
        end: null,
        input: '',
        changed: new Set(),
        killed: new AbortController(),
      }
      commands.set(command.commandId, running)
      ran.push(command)
      const played = async (): Promise<void> => {
        await player({
          command,
          print: (output) => {
            if (running.end) return
            const bytes = typeof output === 'string' ? new TextEncoder().encode(output) : output
            running.pieces.push({ offset: running.bytes, bytes })
            running.bytes += bytes.length
            tell(running)
          },
          end: (exitCode) => finish(running, { exitCode }),
          typed: () => running.input,
          more: () => changed(running, running.killed.signal).catch(() => undefined),
          signal: running.killed.signal,
        })
        finish(running, {})
      }
      void played()
      return { commandId: command.commandId, pid: 1 }
    },
    output: async function* (commandId, from, options): AsyncGenerator<OutputChunk> {
      const running = known(commandId)
      let next = 0
      while (true) {
        for (; next < running.pieces.length; next++) {
          const piece = running.pieces[next]
          if (piece === undefined || piece.offset + piece.bytes.length <= from) continue
          const skip = Math.max(from - piece.offset, 0)
          yield { offset: piece.offset + skip, bytes: piece.bytes.subarray(skip) }
        }
        if (running.end || !options.follow) return
        await changed(running, options.signal)
      }
    },
    wait: async (commandId, signal) => {
      const running = known(commandId)
      while (!running.end) await changed(running, signal)
      return running.end
    },
    commands: async () =>
      [...commands].map(([commandId, { end, bytes }]) => ({
        commandId,
        status: end?.status ?? 'running',
        bytes,
        end,
      })),
    input: async (commandId, bytes) => {
      const running = known(commandId)
      if (running.end) throw new Fault('conflict', 'The command has ended.', 'Run it again.')
      running.input += new TextDecoder().decode(bytes)
      tell(running)
    },
    kill: async (commandId) => {
      const running = known(commandId)
      killed.push(commandId)
      running.killed.abort()
      finish(running, { status: 'killed', exitCode: null, signal: 'SIGKILL' })
    },
    resize: async () => undefined,
    forget: async (commandId) => {
      commands.delete(commandId)
    },
    stat,
    readFile: async (path, range) => {
      const bytes = files.get(full(path))
      if (!bytes) throw new Fault('not_found', `${path} does not exist.`, 'Look for it.')
      const from = range?.offset ?? 0
      return { bytes: bytes.subarray(from, from + (range?.limit ?? bytes.length)), size: bytes.length }
    },
    listDir: async (path, { depth, limit }) => {
      const at = full(path)
      const entries = new Map<string, FileStat>()
      for (const [file, bytes] of [...files].sort()) {
        if (!file.startsWith(`${at}/`)) continue
        const parts = file.slice(at.length + 1).split('/')
        for (let size = 1; size <= Math.min(parts.length, depth); size++) {
          const name = posix.join(at, ...parts.slice(0, size))
          const isFile = size === parts.length
          entries.set(name, {
            path: name,
            type: isFile ? 'file' : 'directory',
            bytes: isFile ? bytes.length : 0,
            mtimeMs: 0,
          })
        }
      }
      return { entries: [...entries.values()].slice(0, limit), more: entries.size > limit }
    },
    writeFile: async (path, bytes) => {
      files.set(full(path), bytes)
    },
    patch: async (text, { cwd }) => {
      const result = await applyPatch(text, fs, { cwd: cwd ?? workspacePath, folders: [workspacePath] })
      return { ok: result.exitCode === 0, output: result.stdout + result.stderr, files: result.files }
    },
    search: async (query) => {
      const pattern = query.literal ? query.pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : query.pattern
      const expression = new RegExp(pattern, query.caseSensitive ? '' : 'i')
      const matches: { path: string; line: number; text: string; isMatch: boolean }[] = []
      for (const [file, bytes] of [...files].sort()) {
        if (!`${file}/`.startsWith(`${full(query.path ?? '.')}/`)) continue
        const lines = new TextDecoder().decode(bytes).split('\n')
        for (const [index, line] of lines.entries())
          if (expression.test(line)) matches.push({ path: file, line: index + 1, text: line, isMatch: true })
      }
      return { matches: matches.slice(0, query.limit), more: matches.length > query.limit }
    },
    checkpoint: async () => checkpointResult,
    diff: async () => '',
    fileAt: async () => null,
    restore: async () => ({ written: 0, removed: 0, failed: [] }),
    importTar: async () => ({ files: 0, bytes: 0 }),
    stop: async () => {
      status = 'stopped'
    },
    destroy: async () => {
      status = 'absent'
    },
  }
}
