/**
 * Connections, transactions, and faults of the database. A database that is away for a moment (a restart) is waited
 * for; everything else becomes a `Fault` at once. Knows no table.
 */
import pg from 'pg'
import { Fault } from '../../protocol/error.ts'

/** How long a call waits for a database that is away; PostgreSQL restarts in well under a second. */
const patienceMs = 20_000
const waitMs = 50

export type Queryable = {
  query<R extends pg.QueryResultRow>(
    config: pg.QueryConfig | string,
    values?: unknown[],
  ): Promise<pg.QueryResult<R>>
}

export type Db = {
  pool: pg.Pool
  /** Connections kept for appends, whose statements stay prepared. */
  hot: pg.Pool
  /** Repeats the statement while the database is away: give it only what may be done twice. */
  query<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]>
  /** All or nothing; repeated as a whole after a deadlock or while the database is away. */
  transaction<T>(work: (client: Queryable) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08000',
  '08001',
  '08003',
  '08006',
  'P1001',
  'P1017',
])
const againCodes = new Set(['40001', '40P01'])
const awayWords =
  /Connection terminated|Client has encountered a connection error|not queryable|ECONNREFUSED|ENOENT|server closed the connection/i

/** The client hides the database's own code in the words of codes that mean nothing. */
const hiddenCode = /Database error\. Code: `([0-9A-Z]{5})`/

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code
  const hidden = error instanceof Error ? hiddenCode.exec(error.message)?.[1] : undefined
  if (hidden !== undefined) return hidden
  return typeof code === 'string' ? code : ''
}

/** Whether the database was away: the statement may or may not have been done. */
export const isAway = (error: unknown): boolean =>
  awayCodes.has(codeOf(error)) || (error instanceof Error && awayWords.test(error.message))

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A NUL, or half of a character in JSON: text for JavaScript and none for PostgreSQL. Libraries hide the code. */
const isUnstorable = (error: unknown): boolean =>
  ['22021', '22P05'].includes(codeOf(error)) ||
  /22021|22P05|invalid byte sequence|unsupported Unicode escape/i.test(String(error))

/** The `Fault` behind a library's error; `what` names the thing in words for people, for example "thread". */
export const toFault = (error: unknown, what: string): Fault => {
  if (error instanceof Fault) return error
  const code = codeOf(error)
  if (code === '23503' || code === 'P2025' || code === 'P2003')
    return new Fault(
      'not_found',
      `There is no such ${what}.`,
      'Reload the page; it may have been deleted.',
      undefined,
      error,
    )
  if (code === '23505' || code === 'P2002')
    return new Fault(
      'conflict',
      `This ${what} exists already.`,
      'Choose another name or reload the page.',
      undefined,
      error,
    )
  if (isUnstorable(error))
    return new Fault(
      'bad_input',
      'The text holds a character that cannot be stored.',
      'Remove control characters from it and send it again.',
      undefined,
      error,
    )
  if (code === '53100')
    return new Fault(
      'disk_full',
      'The database has no room left.',
      'Free disk space on the server, then try again.',
      undefined,
      error,
    )
  if (isAway(error))
    return new Fault(
      'internal',
      'The database does not answer.',
      'Try again in a moment.',
      { away: true },
      error,
    )
  return new Fault(
    'internal',
    'The database refused a statement.',
    'Try again; the server log has the details.',
    undefined,
    error,
  )
}

/** Runs `work` again while the database is away, with a limit; for what may be done twice. */
export const patiently = async <T>(work: () => Promise<T>, what: string): Promise<T> => {
  const until = Date.now() + patienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const again = againCodes.has(codeOf(error)) || isAway(error)
      if (!again || Date.now() > until) throw toFault(error, what)
      await sleep(waitMs)
    }
  }
}

/** Opens the pools; connections are made when they are needed. */
export const openDb = (databaseUrl: string): Db => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 16, application_name: 'baton' })
  const hot = new pg.Pool({
    connectionString: databaseUrl,
    max: 2,
    application_name: 'baton-log',
    // Plans of the append statements are kept; tables grow, so a plan must never rest on their being small today.
    options: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off',
  })
  // A connection that breaks with nobody listening would end the process; whoever uses it next is told by its query.
  for (const each of [pool, hot]) {
    each.on('error', () => {})
    each.on('connect', (client) => {
      client.on('error', () => {})
    })
  }
  return {
    pool,
    hot,
    query: async <R extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
      patiently(async () => (await pool.query<R>(text, values)).rows, 'row'),
    transaction: (work) =>
      patiently(async () => {
        const client = await pool.connect()
        let broken: Error | undefined
        try {
          await client.query('begin')
          const result = await work(client)
          await client.query('commit')
          return result
        } catch (error) {
          try {
            await client.query('rollback')
          } catch (failure) {
            broken = failure instanceof Error ? failure : new Error(String(failure))
          }
          throw error
        } finally {
          client.release(broken)
        }
      }, 'row'),
    close: async () => {
      await Promise.all([pool.end(), hot.end()])
    },
  }
}
