/**
 * Shapes of the patch engine. The folder imports nothing outside itself but Node's path rules, so that the same files
 * are bundled into the sandbox as the shell command `apply_patch`. It reaches files through `PatchFs` only.
 */

/** One line of an update: kept, removed or added; `text` is without its prefix and line end. */
export type PatchLine = { kind: 'keep' | 'remove' | 'add'; text: string }

/** One place in a file. `context` is the line named after `@@`; `atEnd` ties the place to the file's end. */
export type PatchChunk = { context: string | null; lines: PatchLine[]; atEnd: boolean }

export type PatchHunk =
  | { type: 'add'; path: string; lines: string[] }
  | { type: 'delete'; path: string }
  | { type: 'update'; path: string; moveTo: string | null; chunks: PatchChunk[] }

/**
 * The files a patch works on, by absolute path. Failures reject with an error that has Node's `code` (`ENOENT`,
 * `EACCES` …). `stat` follows symbolic links and answers null when nothing is there; `mkdir` makes parents too.
 */
export type PatchFs = {
  readFile(path: string): Promise<Uint8Array>
  writeFile(path: string, bytes: Uint8Array): Promise<void>
  mkdir(path: string): Promise<void>
  remove(path: string): Promise<void>
  stat(path: string): Promise<{ type: 'file' | 'directory' | 'other' } | null>
}

export type PatchedFile = {
  /** As the patch wrote it. */
  path: string
  change: 'added' | 'modified' | 'deleted' | 'moved'
  movedTo?: string
  /** Lines. */
  additions: number
  deletions: number
}

/** What a run of the engine gives: like a command, because in a shell it is one. Text ends with a newline. */
export type PatchResult = {
  exitCode: 0 | 1
  stdout: string
  stderr: string
  /** What was changed, also when a later hunk failed: earlier hunks stay applied. */
  files: PatchedFile[]
}

/** A patch that cannot be read or does not fit; the message is written for the model. */
export class PatchError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PatchError'
  }
}
