/**
 * Turns what the engine and the supervisor answer into facts of the closed list, each with a next step. Knows their
 * ways of failing, not who called.
 */
import type { SupervisorError } from '../../../sandbox/supervisor/protocol.ts'
import { type ErrorCode, Fault } from '../../protocol/error.ts'

type EngineError = { statusCode?: unknown; code?: unknown; message?: unknown; json?: unknown }

/** The HTTP status of an engine's answer; undefined when there was none. */
export const engineStatus = (error: unknown): number | undefined => {
  const status = (error as EngineError | null)?.statusCode
  return typeof status === 'number' ? status : undefined
}

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'EACCES',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
])

/** A Fault for anything that a call of the engine threw. `image` is named when it is what is missing. */
export const engineFault = (error: unknown, image?: string): Fault => {
  if (error instanceof Fault) return error
  const { code, message } = (error ?? {}) as EngineError
  const text = (typeof message === 'string' ? message : String(error)).trim()
  if (/no space left on device|disk quota exceeded|ENOSPC/i.test(text))
    return new Fault(
      'disk_full',
      'The disk of the Docker engine is full.',
      'Delete threads or images that are not needed, then try again.',
      undefined,
      error,
    )
  if (engineStatus(error) === 404 && /no such image|not found: manifest|pull access denied/i.test(text))
    return imageMissing(image ?? 'the sandbox image', error)
  if (typeof code === 'string' && unreachable.has(code))
    return new Fault(
      'sandbox_unavailable',
      code === 'EACCES' ? 'The Docker engine refuses this user.' : 'The Docker engine does not answer.',
      code === 'EACCES'
        ? 'Let the server’s user use Docker (group docker), then try again.'
        : 'Start Docker (or check DOCKER_HOST), then try again.',
      { reason: code },
      error,
    )
  return new Fault(
    'sandbox_unavailable',
    `The Docker engine answered: ${text.slice(0, 500)}`,
    'Try again; the doctor command tells what is wrong with the engine.',
    undefined,
    error,
  )
}

export const imageMissing = (image: string, cause?: unknown): Fault =>
  new Fault(
    'image_missing',
    `The sandbox image ${image} is not there.`,
    'Start the server with npm start, which builds it, then try again.',
    { image },
    cause,
  )

export const sandboxLost = (message: string): Fault =>
  new Fault(
    'sandbox_lost',
    message,
    'Try again: a fresh sandbox is started; the last checkpoint can be restored.',
  )

export const commandLost = (commandId: string): Fault =>
  new Fault(
    'command_lost',
    `The sandbox does not know the command ${commandId} any more; how it ended is not known.`,
    'Look at the workspace to see what it did, and run it again if that is safe.',
    { commandId },
  )

export const disconnected = (cause?: unknown): Fault =>
  new Fault(
    'sandbox_unavailable',
    'The connection to the sandbox was lost.',
    'Try again; the sandbox is connected or started anew.',
    undefined,
    cause,
  )

const codes: Record<SupervisorError['code'], ErrorCode> = {
  bad_input: 'bad_input',
  not_found: 'not_found',
  forbidden: 'tool_refused',
  conflict: 'conflict',
  too_large: 'too_large',
  not_a_file: 'tool_refused',
  disk_full: 'disk_full',
  limit_reached: 'limit_reached',
  patch_rejected: 'patch_rejected',
  tool_failed: 'tool_failed',
  command_lost: 'command_lost',
  sandbox_unavailable: 'sandbox_unavailable',
  internal: 'sandbox_unavailable',
}

/** A Fault for the body of a supervisor's answer ≥ 400. The body is untrusted: anything may be in it. */
export const supervisorFault = (status: number, body: Uint8Array): Fault => {
  let parsed: Partial<Record<keyof SupervisorError, unknown>> = {}
  try {
    const value: unknown = JSON.parse(
      Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 65_536)).toString('utf8'),
    )
    if (typeof value === 'object' && value !== null) parsed = value
  } catch {
    // Not JSON: the status alone speaks.
  }
  const { code, message, next } = parsed
  const known =
    typeof code === 'string' && Object.hasOwn(codes, code) ? codes[code as SupervisorError['code']] : null
  return new Fault(
    known ?? (status === 404 ? 'not_found' : 'sandbox_unavailable'),
    typeof message === 'string' && message !== ''
      ? message.slice(0, 2_000)
      : `The sandbox answered with status ${status}.`,
    typeof next === 'string' && next !== '' ? next.slice(0, 500) : 'Try again.',
  )
}
