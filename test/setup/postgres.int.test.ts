import pg from 'pg'
import { expect, it } from 'vitest'
import { emptyDatabase } from './postgres.ts'

it('gives every caller a database of its own on PostgreSQL 18', async () => {
  const [one, two] = await Promise.all([emptyDatabase(), emptyDatabase()])
  try {
    const client = new pg.Client({ connectionString: one.url })
    await client.connect()
    await client.query('create table only_here (n int)')
    const version = await client.query<{ server_version: string }>('show server_version')
    expect(version.rows[0]?.server_version).toMatch(/^18\./)
    await client.end()
    const other = new pg.Client({ connectionString: two.url })
    await other.connect()
    const tables = await other.query("select 1 from pg_tables where tablename = 'only_here'")
    expect(tables.rowCount).toBe(0)
    await other.end()
  } finally {
    await one.drop()
    await two.drop()
  }
})
