/**
 * A real PostgreSQL for tests. `npm test` starts one and names it in DATABASE_URL; a single test file that is run by
 * hand gets one of this working copy's own, which stays for the next run. Every caller gets a database of its own.
 */

import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { lockDataFolder, makeDataFolder } from '../../scripts/lib/data.mjs'
import { startPostgres } from '../../scripts/lib/postgres.mjs'
import { sha256 } from '../../src/lib/sha256.ts'

const root = resolve(import.meta.dirname, '../..')
const lockWaitMs = 180_000

export type TestDatabase = {
  /** A connection string for pg and Prisma; the server speaks over a unix socket. */
  url: string
  /** Cuts what is still connected and removes the database. */
  drop(): Promise<void>
}

let server: Promise<string> | undefined

async function findServer(): Promise<string> {
  const given = process.env.DATABASE_URL
  if (given !== undefined && given !== '') return given
  const name = sha256(root).slice(0, 10)
  const folder = join(tmpdir(), `baton-tests-${name}`)
  makeDataFolder(folder)
  const unlock = await lockDataFolder(folder, lockWaitMs)
  try {
    return (await startPostgres(folder, { durable: false })).url
  } finally {
    unlock()
  }
}

/** The connection string of the server's own database; for making others, not for test data. */
export const postgresUrl = (): Promise<string> => (server ??= findServer())

const withName = (url: string, name: string): string => {
  const copy = new URL(url)
  copy.pathname = `/${name}`
  return copy.href
}

async function run(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** A new database without any table. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const admin = await postgresUrl()
  const name = `test_${randomBytes(8).toString('hex')}`
  await run(admin, [`create database "${name}"`])
  return {
    url: withName(admin, name),
    drop: () => run(admin, [`drop database if exists "${name}" with (force)`]),
  }
}
