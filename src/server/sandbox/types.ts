/**
 * The sandbox as the rest of the server sees it: a port without Docker. One `Sandbox` is one thread's container; the
 * methods start or wake it when needed. Everything that comes out of it is untrusted input.
 */
import type { FileChange } from '../../protocol/event.ts'
import type { Permission } from '../../protocol/settings.ts'
import type { SandboxStatus } from '../../protocol/thread.ts'

export { homePath, workspacePath } from '../../protocol/places.ts'

export type RunCommand = {
  /** Made by the caller (`cmd_…`): the same id again is the same command, never a second run. */
  commandId: string
  /** A bash script; or `argv` to run without a shell. Exactly one of the two. */
  script?: string
  argv?: string[]
  /** Login shell (`bash -lc`); default false. */
  login?: boolean
  cwd?: string
  env?: Record<string, string>
  mode: Permission
  tty?: { rows: number; cols: number }
  /** Killed (whole tree) after this many milliseconds; absent = no limit. */
  timeoutMs?: number
  /** Written to stdin, which is then closed; without it stdin stays open when `keepStdin`, else is /dev/null. */
  stdin?: Uint8Array
  keepStdin?: boolean
}

export type CommandEnd = {
  status: 'exited' | 'killed' | 'lost'
  exitCode: number | null
  signal: string | null
  timedOut: boolean
  /** Bytes printed in all (spooled or not). */
  bytes: number
}

export type CommandState = {
  commandId: string
  status: 'running' | CommandEnd['status']
  bytes: number
  end: CommandEnd | null
}

/** One piece of a command's output: bytes at `offset` of its spool; `gap` bytes before it were dropped. */
export type OutputChunk = { offset: number; bytes: Uint8Array; gap?: number }

export type FileStat = {
  path: string
  type: 'file' | 'directory' | 'symlink' | 'other'
  bytes: number
  mtimeMs: number
}

/** `failed`: what could not be made as it was recorded. */
export type RestoreResult = { written: number; removed: number; failed: { path: string; message: string }[] }

export type CheckpointResult = {
  /** Hex id of the workspace's tree: compare and read by it. */
  tree: string
  /** Hex id of what `restore` puts back whole: the tree, and every `.git` found in it. */
  snapshot: string
  /** The tree of the checkpoint before, null at the first; and the tree the workspace began with. */
  previousTree: string | null
  baseTree: string
  /** False when nothing differs from the checkpoint before. */
  changed: boolean
  /** Differences to `baseTree`, at most 1,000 files. */
  files: FileChange[]
  fileCount: number
  additions: number
  deletions: number
  leftOut: { path: string; why: string }[]
  /** Objects that are new since the last checkpoint, as a git pack; null when there are none. */
  pack: Uint8Array | null
  durationMs: number
}

/**
 * One thread's sandbox. Errors are `Fault`s: sandbox_unavailable, sandbox_lost, command_lost, disk_full, image_missing …
 * A container that died is started again by the next call, files kept. When its volumes are gone as well, one call
 * rejects with sandbox_lost, and the call after that gets a fresh, empty one (`restore` brings the files back).
 */
export type Sandbox = {
  status(): SandboxStatus
  /** Starts or wakes the container; answers when the first command would be accepted. */
  ensure(signal?: AbortSignal): Promise<void>
  /** Starts a command; answers when it has been accepted (it may have ended already). */
  run(command: RunCommand, signal?: AbortSignal): Promise<{ commandId: string; pid: number | null }>
  /** Output from a byte offset; with `follow` until the command's end, otherwise what is there. */
  output(
    commandId: string,
    from: number,
    options: { follow: boolean; signal?: AbortSignal },
  ): AsyncIterable<OutputChunk>
  /** Resolves with the command's end; rejects with command_lost when the container forgot it. */
  wait(commandId: string, signal?: AbortSignal): Promise<CommandEnd>
  commands(): Promise<CommandState[]>
  input(commandId: string, bytes: Uint8Array): Promise<void>
  /** Kills the command's whole process tree; resolves when none of it is left. */
  kill(commandId: string): Promise<void>
  resize(commandId: string, rows: number, cols: number): Promise<void>
  /** Frees a finished command's spool. */
  forget(commandId: string): Promise<void>
  stat(path: string): Promise<FileStat | null>
  /** Bytes of a regular file; `offset` and `limit` in bytes. Faults: not_found, tool_refused (not a file, outside). */
  readFile(
    path: string,
    range?: { offset: number; limit: number },
  ): Promise<{ bytes: Uint8Array; size: number }>
  listDir(
    path: string,
    options: { depth: number; limit: number },
  ): Promise<{ entries: FileStat[]; more: boolean }>
  writeFile(path: string, bytes: Uint8Array, mode: Permission): Promise<void>
  /** Runs an apply_patch text in the workspace, all or nothing per hunk group as the engine says. */
  patch(
    text: string,
    options: { cwd?: string; mode: Permission; signal?: AbortSignal },
  ): Promise<{
    ok: boolean
    /** What the model reads. */
    output: string
    files: {
      path: string
      change: 'added' | 'modified' | 'deleted' | 'moved'
      movedTo?: string
      additions: number
      deletions: number
    }[]
  }>
  /** ripgrep over the workspace. */
  search(
    query: {
      pattern: string
      path?: string
      glob?: string
      literal: boolean
      caseSensitive: boolean
      limit: number
      contextLines: number
    },
    signal?: AbortSignal,
  ): Promise<{ matches: { path: string; line: number; text: string; isMatch: boolean }[]; more: boolean }>
  checkpoint(): Promise<CheckpointResult>
  /** Unified diff between two checkpoint trees; `path` limits it to one file. */
  diff(from: string, to: string, path?: string): Promise<string>
  /** A file of a checkpoint tree; null when it is not there. */
  fileAt(tree: string, path: string): Promise<Uint8Array | null>
  /**
   * Puts a checkpoint's `snapshot` (or only the files of its `tree`) back into the workspace; packs, oldest first, are
   * given when the shadow repository lacks it. In a new sandbox the restored state is what `baseTree` names from then on.
   */
  restore(snapshotOrTree: string, packs?: AsyncIterable<Uint8Array>): Promise<RestoreResult>
  /**
   * Unpacks a tar stream (a project's upload) into the empty workspace. The next checkpoint is then the base: make it
   * at once, and store its pack.
   */
  importTar(tar: AsyncIterable<Uint8Array>): Promise<{ files: number; bytes: number }>
  stop(why: string): Promise<void>
  /** Container and volume are gone for good. */
  destroy(): Promise<void>
}

/** What the manager tells about a sandbox; runtime turns it into events. */
export type SandboxNews =
  | { type: 'starting'; sandboxId: string; image: string; why: string }
  | { type: 'ready'; sandboxId: string; fromPool: boolean; durationMs: number }
  | { type: 'stopped'; sandboxId: string; why: string }
  | { type: 'lost'; sandboxId: string; message: string }

export type SandboxManager = {
  /** The handle of a thread's sandbox; makes no container yet. `onNews` is called in order. */
  forThread(threadId: string, onNews: (news: SandboxNews) => void): Promise<Sandbox>
  /**
   * Compares the database's sandboxes with the engine's, of this installation only; removes what belongs to nobody. Run
   * once, before the first thread is opened. Rejects when the engine does not answer: then each thread finds out itself.
   */
  reconcile(): Promise<{ adopted: number; removed: number; lost: number }>
  /** Fills the warm pool in the background. */
  warm(): void
  /** Stops what has been idle for long; the manager does so by itself every minute. */
  stopIdle(): void
  /** What the engine says now: null when it answers, else the fact. */
  health(): Promise<{ ok: boolean; message: string }>
  /** Lets go of all connections; containers go on. */
  close(): Promise<void>
}

export type SandboxLimits = {
  /** Also the limit of memory and swap together. */
  memoryBytes: number
  cpus: number
  pids: number
  tmpBytes: number
}

export type SandboxConfig = {
  /** As in DOCKER_HOST (`unix://…`, `tcp://…`); empty = the default socket. */
  dockerHost?: string
  installId: string
  /** Key from which each sandbox's own secret is derived. */
  secretKey: string
  image: string
  limits: SandboxLimits
  /** Containers kept ready; 0 = none. */
  poolSize: number
  /** Stopped after so long without a call; commands in the background do not count. */
  idleMs: number
}
