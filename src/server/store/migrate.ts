/**
 * Applies the folders of prisma/migrations in order, in Prisma's own format and table, one process at a time. Knows no
 * table but `_prisma_migrations`.
 */

import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { sha256 } from '../../lib/sha256.ts'

/** Any number that nobody else locks: "baton" in ASCII. */
const lockKey = 0x62_61_74_6f

const folder = resolve(import.meta.dirname, '../../../prisma/migrations')

type Migration = { name: string; sql: string; checksum: string }

const readMigrations = (): Migration[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: sha256(sql) }
    })

const table = `
  create table if not exists "_prisma_migrations" (
    id varchar(36) primary key,
    checksum varchar(64) not null,
    finished_at timestamptz,
    migration_name varchar(255) not null,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz not null default now(),
    applied_steps_count integer not null default 0
  )`

/**
 * Brings the database up to date and answers with the names that were applied. Each migration and its row are one
 * transaction. Throws an Error for the person at the console: a changed or unknown migration, or SQL that failed.
 */
export const migrate = async (databaseUrl: string): Promise<string[]> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  // What breaks is told by the next query; without a listener it would end the process instead.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await client.query(table)
    const { rows } = await client.query<{ migration_name: string; checksum: string }>(
      'select migration_name, checksum from "_prisma_migrations" where rolled_back_at is null and finished_at is not null',
    )
    const known = new Map(rows.map((row) => [row.migration_name, row.checksum]))
    const migrations = readMigrations()
    for (const name of known.keys()) {
      if (!migrations.some((migration) => migration.name === name))
        throw new Error(
          `The database is newer than this program: it has the migration ${name}. Update Baton.`,
        )
    }
    const applied: string[] = []
    for (const { name, sql, checksum } of migrations) {
      const was = known.get(name)
      if (was === checksum) continue
      if (was !== undefined)
        throw new Error(`The migration ${name} was changed after it had been applied. Restore its file.`)
      await apply(client, { name, sql, checksum })
      applied.push(name)
    }
    return applied
  } finally {
    await client.end()
  }
}

const apply = async (client: pg.Client, { name, sql, checksum }: Migration): Promise<void> => {
  await client.query('begin')
  try {
    await client.query(sql)
    await client.query(
      `insert into "_prisma_migrations" (id, checksum, finished_at, migration_name, applied_steps_count)
       values ($1, $2, clock_timestamp(), $3, 1)`,
      [randomUUID(), checksum, name],
    )
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback')
    const text = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The migration ${name} failed: ${text}`, { cause })
  }
}
