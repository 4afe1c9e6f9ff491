// Errors that leave the supervisor as `{ code, message, next }`, and what the system's errno mean there.
import type { SupervisorError, SupervisorErrorCode } from './protocol.ts'

export class Failure extends Error {
  readonly code: SupervisorErrorCode
  readonly next: string
  constructor(code: SupervisorErrorCode, message: string, next: string) {
    super(message)
    this.name = 'Failure'
    this.code = code
    this.next = next
  }
}

export const badInput = (message: string): Failure =>
  new Failure('bad_input', message, 'Correct the request and send it again.')

export const notFound = (message: string): Failure =>
  new Failure('not_found', message, 'Check the path or the id; list what is there.')

/** Values from Linux's errno.h that the launcher answers with. */
const EAGAIN = 11
const ENOMEM = 12

export const spawnFailure = (errno: number): Failure =>
  errno === EAGAIN || errno === ENOMEM
    ? new Failure(
        'limit_reached',
        'The container has no room for another process.',
        'End some of the running commands, then try again.',
      )
    : new Failure('internal', `A process could not be started (errno ${errno}).`, 'Try again.')

const byErrno: Record<string, (message: string) => Failure> = {
  ENOENT: (m) => notFound(m),
  ENOTDIR: (m) => notFound(m),
  EACCES: (m) => new Failure('forbidden', m, 'Use a path inside the workspace.'),
  EPERM: (m) => new Failure('forbidden', m, 'Use a path inside the workspace.'),
  EROFS: (m) => new Failure('forbidden', m, 'Use a path inside the workspace.'),
  ELOOP: (m) => new Failure('bad_input', m, 'The path goes round in symbolic links; use the real one.'),
  ENAMETOOLONG: (m) => badInput(m),
  EINVAL: (m) => badInput(m),
  EISDIR: (m) => new Failure('not_a_file', m, 'It is a folder; list it instead.'),
  ENXIO: (m) => new Failure('not_a_file', m, 'It is no regular file and cannot be read as one.'),
  ENOSPC: (m) => new Failure('disk_full', m, 'Delete what is not needed, then try again.'),
  EDQUOT: (m) => new Failure('disk_full', m, 'Delete what is not needed, then try again.'),
  EEXIST: (m) => new Failure('conflict', m, 'Something else is at that path.'),
  ENOTEMPTY: (m) => new Failure('conflict', m, 'The folder is not empty.'),
  EMFILE: (m) => new Failure('limit_reached', m, 'End some of the running commands, then try again.'),
}

export const errnoOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Any thrown value as a Failure; what is no known kind of failure is `internal` without its details. */
export const asFailure = (error: unknown, what = ''): Failure => {
  if (error instanceof Failure) return error
  const errno = errnoOf(error)
  const make = byErrno[errno]
  if (make) return make(what === '' ? errno : `${what}: ${errno}`)
  return new Failure('internal', error instanceof Error ? error.message : String(error), 'Try again.')
}

const statuses: Partial<Record<SupervisorErrorCode, number>> = {
  bad_input: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  not_a_file: 422,
  patch_rejected: 422,
  tool_failed: 422,
  limit_reached: 429,
  command_lost: 410,
  disk_full: 507,
  sandbox_unavailable: 503,
}

export const statusOf = (failure: Failure): number => statuses[failure.code] ?? 500

export const bodyOf = (failure: Failure): SupervisorError => ({
  code: failure.code,
  message: failure.message,
  next: failure.next,
})
