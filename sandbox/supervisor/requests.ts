// Request bodies as they come from the wire, made into the protocol's shapes or refused.
import { badInput } from './failure.ts'
import type {
  CheckpointRequest,
  CommandMode,
  CommandRequest,
  PatchRequest,
  ResizeRequest,
  RestoreRequest,
  SignalRequest,
} from './protocol.ts'

const modes: readonly string[] = ['read-only', 'workspace-write', 'full-access'] satisfies CommandMode[]
const signals: readonly string[] = [
  ...['KILL', 'TERM', 'INT', 'HUP', 'QUIT', 'USR1', 'USR2', 'CONT', 'STOP'],
] satisfies string[]
const TERMINAL_MAX = 10_000
const TIMEOUT_MAX_MS = 2 ** 31 - 1

type Fields = Record<string, unknown>

const fieldsOf = (body: unknown): Fields => {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badInput('The body must be an object.')
  return { ...body }
}

const text = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw badInput(`${name} must be text.`)
  return value
}

const isMode = (value: string | undefined): value is CommandMode =>
  value !== undefined && modes.includes(value)
const isSignal = (value: string | undefined): value is SignalRequest['signal'] =>
  value !== undefined && signals.includes(value)

const mode = (fields: Fields): CommandMode => {
  const value = text(fields, 'mode')
  if (!isMode(value)) throw badInput(`mode must be one of ${modes.join(', ')}.`)
  return value
}

export const parseResize = (body: unknown): ResizeRequest => {
  const { rows, cols } = fieldsOf(body)
  for (const value of [rows, cols])
    if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > TERMINAL_MAX)
      throw badInput('rows and cols must be whole numbers from 1 to 10000.')
  return { rows: Number(rows), cols: Number(cols) }
}

export const parseCommand = (body: unknown): CommandRequest => {
  const fields = fieldsOf(body)
  const request: CommandRequest = { mode: mode(fields) }
  for (const name of ['id', 'script', 'cwd', 'input'] as const) {
    const value = text(fields, name)
    if (value !== undefined) request[name] = value
  }
  const { argv, env, tty, timeoutMs, stdin } = fields
  if (argv !== undefined) {
    if (!Array.isArray(argv) || argv.some((word) => typeof word !== 'string'))
      throw badInput('argv must be a list of text.')
    request.argv = argv.map(String)
  }
  if (env !== undefined) {
    const entries = Object.entries(fieldsOf(env))
    if (entries.some(([, value]) => typeof value !== 'string'))
      throw badInput('The values of env must be text.')
    request.env = Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
  }
  if (tty !== undefined && tty !== null) request.tty = parseResize(tty)
  if (timeoutMs !== undefined && timeoutMs !== null) {
    if (typeof timeoutMs !== 'number' || !(timeoutMs > 0))
      throw badInput('timeoutMs must be a number above 0.')
    request.timeoutMs = Math.min(timeoutMs, TIMEOUT_MAX_MS)
  }
  if (stdin !== undefined) {
    if (stdin !== 'null' && stdin !== 'pipe') throw badInput('stdin must be null or pipe, as text.')
    request.stdin = stdin
  }
  return request
}

export const parseSignal = (body: unknown): SignalRequest => {
  const signal = text(fieldsOf(body), 'signal')
  if (!isSignal(signal)) throw badInput(`signal must be one of ${signals.join(', ')}.`)
  return { signal }
}

export const parsePatch = (body: unknown): PatchRequest => {
  const fields = fieldsOf(body)
  const patch = text(fields, 'patch')
  const cwd = text(fields, 'cwd')
  if (patch === undefined) throw badInput('patch is missing.')
  return { patch, mode: mode(fields), ...(cwd === undefined ? {} : { cwd }) }
}

export const parseCheckpoint = (body: unknown): CheckpointRequest => {
  const fields = fieldsOf(body)
  const base = text(fields, 'base')
  const since = fields.since === null ? null : text(fields, 'since')
  return { ...(base === undefined ? {} : { base }), ...(since === undefined ? {} : { since }) }
}

export const parseRestore = (body: unknown): RestoreRequest => {
  const to = text(fieldsOf(body), 'to')
  if (to === undefined) throw badInput('to is missing.')
  return { to }
}
