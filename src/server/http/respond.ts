/**
 * Small answers over HTTP: JSON, error facts, bodies with a limit. Knows no route.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { z } from 'zod'
import { type ErrorCode, type ErrorFact, Fault, toFact } from '../../protocol/error.ts'

const statusOf: Partial<Record<ErrorCode, number>> = {
  bad_input: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  op_refused: 409,
  thread_busy: 409,
  turn_mismatch: 409,
  too_large: 413,
  import_rejected: 422,
  rate_limited: 429,
  internal: 500,
}

/** The HTTP status of an error code; what has none of its own is 502 (something behind this server failed). */
export const httpStatus = (code: ErrorCode): number => statusOf[code] ?? 502

/**
 * Headers for every answer that is not a page. Whatever it holds, a browser that shows it shows it as nothing: no script,
 * no request, no frame around it.
 */
export const plainHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
} as const

export const sendJson = (response: ServerResponse, status: number, value: unknown): void => {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = JSON.stringify(value)
  response.writeHead(status, {
    ...plainHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

export const sendError = (response: ServerResponse, error: unknown): ErrorFact => {
  const fact = toFact(error)
  sendJson(response, httpStatus(fact.code), { error: fact })
  return fact
}

/** Reads a body of at most `limit` bytes; more is `too_large`. */
export const readBody = async (request: IncomingMessage, limit: number): Promise<Buffer> => {
  const tooLarge = () =>
    new Fault(
      'too_large',
      `The body is larger than ${limit.toLocaleString('en')} bytes.`,
      'Send less, or in parts.',
    )
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads a JSON body; anything else is `bad_input`. */
export const readJson = async (request: IncomingMessage, limit: number): Promise<unknown> => {
  const body = await readBody(request, limit)
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new Fault('bad_input', 'The body is not JSON.', 'Send a JSON object.')
  }
}

/** What a door was given, by its schema; anything else is `bad_input` with the field. */
export const parse = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new Fault(
    'bad_input',
    `${issue?.path.map(String).join('.') ?? 'input'}: ${issue?.message ?? 'is not valid'}`,
    'Correct the field and send it again.',
    { field: issue?.path.map(String).join('.') ?? '' },
  )
}
