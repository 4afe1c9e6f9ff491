/**
 * The only writer to stdout: one JSON line per entry. Values under telling names and everything that looks like a key
 * are masked, whoever logs them.
 */
type Level = 'debug' | 'info' | 'warn' | 'error'
type Fields = Record<string, unknown>

export type Log = {
  debug(message: string, fields?: Fields): void
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
  /** The same log with fields that every line carries. */
  with(fields: Fields): Log
}

const levels: Record<Level, number> = { debug: 10, info: 20, warn: 30, error: 40 }
const secretName = /(secret|password|passwd|token|api[-_]?key|authorization|cookie|credential)/i
// Key formats of the providers we speak to, bearer tokens and URLs with a password.
const secretText =
  /\b(sk-[A-Za-z0-9_-]{8,}|sk-ant-[A-Za-z0-9_-]{8,}|Bearer\s+[A-Za-z0-9._~+/-]{8,}=*|gh[pousr]_[A-Za-z0-9]{20,}|AIza[0-9A-Za-z_-]{30,})|(?<=:\/\/[^\s:/@]{1,100}:)[^\s@/]+(?=@)/g

const mask = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return value.slice(0, 4_000).replace(secretText, '[masked]')
  if (value instanceof Error) {
    const cause = value.cause === undefined ? {} : { cause: mask(value.cause, depth + 1) }
    return {
      name: value.name,
      message: mask(value.message, depth + 1),
      stack: mask(value.stack ?? '', depth + 1),
      ...cause,
    }
  }
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (depth > 4) return '[deep]'
  if (Array.isArray(value)) return value.slice(0, 50).map((entry) => mask(entry, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      secretName.test(name) ? '[masked]' : mask(entry, depth + 1),
    ]),
  )
}

/** Makes a log. `write` gets whole lines without the line end. */
export const createLog = (
  level: Level,
  write: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
  base: Fields = {},
): Log => {
  const at =
    (name: Level) =>
    (message: string, fields: Fields = {}): void => {
      if (levels[name] < levels[level]) return
      try {
        const entry = {
          at: new Date().toISOString(),
          level: name,
          message: mask(message, 0),
          ...(mask({ ...base, ...fields }, 0) as Fields),
        }
        write(JSON.stringify(entry))
      } catch {
        write(
          JSON.stringify({
            at: new Date().toISOString(),
            level: name,
            message: 'a log entry could not be written',
          }),
        )
      }
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => createLog(level, write, { ...base, ...fields }),
  }
}
