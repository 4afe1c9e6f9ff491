// The contract between the server and the supervisor inside a container: HTTP/2 on a bridged byte stream.
// Types and constants only; both sides import this file, so it imports nothing.

/** This side's version. A peer of version N also speaks N−1 (`minProtocol` in the hello). */
export const PROTOCOL_VERSION = 1

/** argv of the attached `docker exec` (stdin and stdout attached, no TTY) that bridges bytes to the supervisor. */
export const BRIDGE_ARGV = ['/opt/baton/bridge'] as const

/** argv of the container's main process (run it under the engine's init). It is also the image's CMD. */
export const SUPERVISOR_ARGV = ['/opt/baton/bin/node', '/opt/baton/supervisor.mjs'] as const

/**
 * First bytes of every connection, before the HTTP/2 preface: the secret's 64 hex digits and a newline.
 * The supervisor answers nothing to it; it closes the stream when the secret is wrong.
 * The secret is hex(HMAC-SHA256(server key, sandbox id)).
 */
export const preamble = (secretHex: string): string => `${secretHex}\n`

/** Environment of the container. The supervisor removes both from every child. */
export const ENV_SECRET = 'BATON_SECRET'
export const ENV_SANDBOX_ID = 'BATON_SANDBOX_ID'

/**
 * What the server must give the container, beside its limits and dropped capabilities. The image keeps the
 * three volume folders world-writable, so that any uid of the range can own what it makes in them; an engine
 * without volume sub-paths cannot mount one volume at three places, hence three volumes per sandbox.
 */
export const CONTAINER = {
  workspace: '/workspace',
  home: '/home/agent',
  /** Volume suffix → mount point. Name them `<sandbox volume name>-<suffix>`. */
  volumes: { workspace: '/workspace', home: '/home', state: '/state' },
  /** HostConfig.Tmpfs, complete. Sizes may be changed by the server; `exec` on /tmp is needed by builds. */
  tmpfs: {
    '/tmp': 'rw,exec,nosuid,nodev,mode=1777,size=512m',
    '/var/tmp': 'rw,exec,nosuid,nodev,mode=1777,size=64m',
    '/run': 'rw,noexec,nosuid,nodev,mode=1777,size=16m',
  },
  /** Each sandbox gets its own uid (gid the same number) from this range; `User: '20007:20007'`. */
  uidFirst: 20_000,
  uidLast: 29_999,
} as const

/** Which paths a command may write: nothing; workspace, home and temporary folders; all that is writable. */
export type CommandMode = 'read-only' | 'workspace-write' | 'full-access'

/** Every answer with status ≥ 400 has this JSON body. `next` says what the caller can do. */
export type SupervisorErrorCode =
  | 'bad_input'
  | 'not_found'
  | 'forbidden'
  | 'conflict'
  | 'too_large'
  | 'not_a_file'
  | 'disk_full'
  | 'limit_reached'
  | 'patch_rejected'
  | 'tool_failed'
  | 'command_lost'
  | 'sandbox_unavailable'
  | 'internal'

export interface SupervisorError {
  code: SupervisorErrorCode
  message: string
  next: string
}

/** GET /hello */
export interface Hello {
  protocol: number
  minProtocol: number
  /** New for each start of the supervisor; commands of another boot are lost. */
  bootId: string
  sandboxId: string
  uid: number
  startedAt: string
  /** 0: results are not protected; below 3: read-only is weak; 6 and more: signals and sockets are scoped. */
  landlockAbi: number
  /** False while the launcher is being started again. */
  ready: boolean
}

/**
 * POST /commands → 200 CommandStarted (JSON). With `?follow=1` the body is the frame stream instead (see
 * Frame), which begins with a `started` frame: one round trip for the whole command.
 * Idempotent by `id`: the same id again never runs twice, it answers (or follows, from `from`) the first run.
 * A script is run by bash; an argv is executed without a shell. Neither may contain NUL.
 */
export interface CommandRequest {
  /** `cmd_…`, made by the client: letters, digits, `_` and `-`, at most 64. Made by the supervisor when absent. */
  id?: string
  script?: string
  argv?: string[]
  /** Absolute; default the workspace. A missing one is `not_found`. */
  cwd?: string
  /** Added to the sandbox's environment; names must be shell identifiers. */
  env?: Record<string, string>
  mode: CommandMode
  /** Present = run on a terminal of this size; output then carries what the terminal shows. */
  tty?: { rows: number; cols: number }
  /** After it the whole tree is killed and `timedOut` is true. Default: none. */
  timeoutMs?: number
  /** `null` (default without tty): end of file at once. `pipe`: POST …/input feeds it. A tty always takes input. */
  stdin?: 'null' | 'pipe'
  /** Text written to standard input at the start, then closed. Implies a pipe; not with tty. */
  input?: string
}

export interface CommandStarted {
  commandId: string
  /** Inside the container; for display only. */
  pid: number
}

export interface CommandEnd {
  /** Null when it ended by a signal or is lost. */
  exitCode: number | null
  /** `SIGKILL`, `SIGTERM`, …; null when it exited. */
  signal: string | null
  timedOut: boolean
  /** POST …/signal KILL was asked for, or the time limit fired. */
  killed: boolean
  /** The launcher died under it: how it ended is unknown. */
  lost: boolean
  /** All bytes ever written, the gap included. */
  bytes: number
  durationMs: number
}

/** GET /commands/:id, and GET /commands → { commands: CommandState[] }, oldest first. */
export interface CommandState {
  commandId: string
  pid: number
  status: 'running' | 'exited' | 'killed' | 'lost'
  mode: CommandMode
  tty: boolean
  startedAt: string
  bytes: number
  /** Bytes between the kept head and the kept tail, 0 when nothing was dropped. */
  gapBytes: number
  end: CommandEnd | null
  /** Processes it left in the background still run (they are killed by KILL on this id). */
  background: boolean
}

/**
 * GET /commands/:id/output?from=<offset>&follow=1 → frames. Without `follow` it ends at what is there now (an
 * `end` frame only when the command has ended). stdout and stderr are one stream, in the order written;
 * offsets count its bytes from 0. The first and the last SPOOL_SIDE_BYTES are kept; a read that falls between
 * them gets a `gap` frame and goes on after it.
 */
export const SPOOL_SIDE_BYTES = 25 * 1024 * 1024

/**
 * A frame: 1 byte type, 8 bytes offset (unsigned, big endian), 4 bytes length (big endian), payload.
 * started: JSON CommandStarted · data: bytes at `offset` · gap: JSON { bytes } missing from `offset` on ·
 * end: JSON CommandEnd, always the last one.
 */
export const FRAME_HEADER_BYTES = 13
export const FRAME = { started: 0, data: 1, gap: 2, end: 3 } as const
export type FrameType = (typeof FRAME)[keyof typeof FRAME]
export const FRAMES_CONTENT_TYPE = 'application/vnd.baton.frames'

/** POST /commands/:id/input (body: raw bytes; `?close=1` closes it after them) → { accepted: bytes }. */
export interface InputAccepted {
  accepted: number
}

/**
 * POST /commands/:id/signal → SignalResult. KILL ends the whole tree, what escaped its session and what is
 * left in the background included, and answers when nothing of it is left. Others go to the process group.
 */
export interface SignalRequest {
  signal: 'KILL' | 'TERM' | 'INT' | 'HUP' | 'QUIT' | 'USR1' | 'USR2' | 'CONT' | 'STOP'
}
export interface SignalResult {
  /** False: it had ended before. */
  delivered: boolean
}

/** POST /commands/:id/resize → {}. `bad_input` when it has no terminal. */
export interface ResizeRequest {
  rows: number
  cols: number
}

/* DELETE /commands/:id → {}: frees the spool of an ended command (`conflict` while it runs). */

/**
 * Files. `path` is a query parameter, absolute (URL-encoded). Symbolic links are followed and the place they
 * lead to is what is checked: readable are the roots a command may read, never the supervisor's own state;
 * writable are workspace, home and /tmp. A FIFO, socket or device is `not_a_file`, a folder too where a
 * file is read.
 *
 * GET /files?path=&offset=&limit= → bytes (limit default and maximum FILE_READ_MAX_BYTES), header
 * `baton-file`: JSON FileStat of the whole file.
 * PUT /files?path=&parents=1 (body: bytes, at most FILE_WRITE_MAX_BYTES; atomic by rename; the mode of an
 * existing file is kept) → FileStat.
 * GET /files/stat?path=&nofollow=1 → FileStat.
 * GET /files/list?path=&depth=1&limit=1000 → DirList.
 */
export const FILE_READ_MAX_BYTES = 16 * 1024 * 1024
export const FILE_WRITE_MAX_BYTES = 64 * 1024 * 1024
export const HEADER_FILE = 'baton-file'

export type FileKind = 'file' | 'dir' | 'symlink' | 'other'
export interface FileStat {
  /** Where it really is, links resolved. */
  path: string
  kind: FileKind
  size: number
  mode: number
  mtimeMs: number
}
export interface DirEntry {
  /** Relative to the listed folder, with `/` between parts. Bytes that are no UTF-8 are replaced. */
  name: string
  kind: FileKind
  size: number
  mtimeMs: number
  /** Target of a symbolic link. */
  target?: string
}
export interface DirList {
  path: string
  /** Sorted by name, breadth first. */
  entries: DirEntry[]
  truncated: boolean
}

/** POST /patch → PatchResult; a patch that does not apply is 422 `patch_rejected` with words for the model. */
export interface PatchRequest {
  /** The whole text from `*** Begin Patch` to `*** End Patch`. */
  patch: string
  /** Relative paths start here; default the workspace. */
  cwd?: string
  mode: CommandMode
}
export interface PatchResult {
  /** The words that the in-shell program prints. */
  summary: string
  changed: { path: string; kind: 'add' | 'update' | 'delete' | 'move'; movedFrom?: string }[]
}

/** GET /search?query=&path=&glob=&literal=1&ignoreCase=1&hidden=1&context=0&limit=200&timeoutMs=10000 → SearchResult. `glob` may repeat. */
export interface SearchMatch {
  path: string
  line: number
  /** At most SEARCH_LINE_MAX_CHARS. */
  text: string
  /** UTF-16 offsets into `text`. */
  spans: [number, number][]
  /** True for the lines around a match. */
  context: boolean
}
export interface SearchResult {
  matches: SearchMatch[]
  /** The limit, or the time limit, cut it. */
  truncated: boolean
  timedOut: boolean
}
export const SEARCH_LINE_MAX_CHARS = 2_000

/**
 * POST /checkpoint {} → Checkpoint: the workspace as git objects in a repository outside it.
 * `tree` is the workspace's tree (compare and read by it); `snapshot` also holds each `.git` found, as files
 * (HEAD, refs, index, objects), and the list of what was left out: it restores everything.
 * One runs at a time; a second request waits for the first.
 */
export interface CheckpointRequest {
  /** Tree to count changes against; default the previous checkpoint of this sandbox. */
  base?: string
  /**
   * Tree of the last checkpoint whose pack the server surely has, null when it has none: `pack` then holds all
   * objects made after it, so that a lost answer or a crash leaves no hole. Default: only what is new now.
   */
  since?: string | null
}
export interface Checkpoint {
  tree: string
  snapshot: string
  /** False when the tree equals the base. */
  changed: boolean
  filesChanged: number
  additions: number
  deletions: number
  files: number
  bytes: number
  /** New objects (see `since`), kept in the container as well. Null when there are none. */
  pack: { id: string; bytes: number; objects: number } | null
  leftOut: { path: string; reason: LeftOutReason; bytes: number }[]
  /** How many more were left out than are listed. */
  leftOutMore: number
  durationMs: number
}
export type LeftOutReason =
  | 'too_large'
  | 'ignored_over_limit'
  | 'total_over_limit'
  | 'unreadable'
  | 'not_a_file'
  | 'changing'

/**
 * GET /checkpoint/pack/:id → the pack (git pack format 2, without deltas, complete by itself).
 * PUT /checkpoint/pack (body: a pack) → { objects }: takes objects in, for a move to another container.
 * GET /checkpoint/diff?from=<tree>&to=<tree>&path=&context=3 → TreeDiff. `from` may be `empty`.
 * GET /checkpoint/patch?from=&to=&path=&context=3 → unified diff text, at most DIFF_MAX_BYTES.
 * GET /checkpoint/file?tree=&path=<relative to the workspace> → bytes of that file then.
 * POST /checkpoint/restore RestoreRequest → RestoreResult.
 */
export const DIFF_MAX_BYTES = 8 * 1024 * 1024
export interface TreeDiff {
  files: {
    path: string
    status: 'added' | 'modified' | 'deleted' | 'renamed' | 'type_changed'
    oldPath?: string
    /** Null for binary files. */
    additions: number | null
    deletions: number | null
    /** Object ids and modes, null on the absent side. */
    oldId: string | null
    newId: string | null
    oldMode: string | null
    newMode: string | null
  }[]
}
export interface RestoreRequest {
  /** A `snapshot` (files and repositories) or a `tree` (files only). */
  to: string
}
export interface RestoreResult {
  written: number
  removed: number
  /** Could not be made as recorded, with the reason. */
  failed: { path: string; message: string }[]
}

/*
 * CONNECT 127.0.0.1:<port> → a tunnel to a port inside the container; `not_found` when nothing listens there.
 *
 * A folder is brought in or out by a command: `tar -xf - -C /workspace` with stdin `pipe`, or `tar -cf - .`.
 */
