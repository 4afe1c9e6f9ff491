/**
 * The closed list of error codes, and the one shape in which an error travels: a fact with a next step. Words for
 * people are in messages/<locale>.json under `errors.<code>`; `message` and `next` here are the English fact.
 */
import { z } from 'zod'

export const errorCodes = [
  'bad_input',
  'not_found',
  'forbidden',
  'unauthenticated',
  'conflict',
  'too_large',
  'rate_limited',
  'lease_lost',
  'thread_busy',
  'turn_mismatch',
  'op_refused',
  'provider_auth',
  'provider_quota',
  'provider_rate_limited',
  'provider_overloaded',
  'provider_unreachable',
  'provider_bad_request',
  'provider_protocol',
  'provider_policy',
  'context_overflow',
  'stream_cut',
  'model_not_found',
  'budget_stopped',
  'limit_reached',
  'stuck',
  'tool_unknown',
  'tool_bad_arguments',
  'tool_refused',
  'tool_failed',
  'patch_rejected',
  'approval_expired',
  'sandbox_unavailable',
  'sandbox_lost',
  'command_lost',
  'disk_full',
  'image_missing',
  'egress_denied',
  'note_rejected',
  'window_too_small',
  'import_rejected',
  'internal',
] as const

export const ErrorCode = z.enum(errorCodes)
export type ErrorCode = z.infer<typeof ErrorCode>

export const ErrorFact = z.object({
  code: ErrorCode,
  /** What is the case, one sentence. Never carries a secret. */
  message: z.string().max(2_000),
  /** What to do next, one sentence. */
  next: z.string().max(500),
  /** Safe particulars, for example an HTTP status or a file name. */
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
})
export type ErrorFact = z.infer<typeof ErrorFact>

/** An error of the closed list, thrown inside the server and turned into an `ErrorFact` at a door. */
export class Fault extends Error {
  readonly code: ErrorCode
  readonly next: string
  readonly details: ErrorFact['details']

  constructor(
    code: ErrorCode,
    message: string,
    next: string,
    details?: ErrorFact['details'],
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'Fault'
    this.code = code
    this.next = next
    this.details = details
  }

  toFact(): ErrorFact {
    const fact: ErrorFact = {
      code: this.code,
      message: this.message.slice(0, 2_000),
      next: this.next.slice(0, 500),
    }
    if (this.details) fact.details = this.details
    return fact
  }
}

/** The fact behind anything thrown. What is not a `Fault` is a defect: its text stays in the log, not on the wire. */
export const toFact = (error: unknown): ErrorFact =>
  error instanceof Fault
    ? error.toFact()
    : {
        code: 'internal',
        message: 'Something went wrong inside the server.',
        next: 'Try again; the server log has the details.',
      }
