import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg'
import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { emptyDatabase, type TestDatabase } from '../../../test/setup/postgres.ts'
import { migrate } from './migrate.ts'

const root = resolve(import.meta.dirname, '../../..')

/** What prisma/schema.prisma cannot say; each stands in a migration. */
const rawObjects = [
  'check Comment.Comment_one_place',
  'check Comment.Comment_text_limit',
  'check Event.Event_seq_positive',
  'check Member.Member_role_known',
  'check Note.Note_version_positive',
  'check Op.Op_status_known',
  'check Thread.Thread_team_role_known',
  'check ThreadLease.ThreadLease_fence_positive',
  'check ThreadMember.ThreadMember_role_known',
  'check User.User_kind_known',
  'index Comment_answers',
  'index Label_name',
  'index Note_newest',
  'index Op_open',
  'index Provider_managed',
  'index Review_newest',
  'index RolloutRow_failed',
  'index SearchDoc_literals',
  'index SearchDoc_words',
  'index Sandbox_living_thread',
  'index Sandbox_living_uid',
]

/** The SQL that Prisma itself makes of the schema file. */
const schemaSql = async (url: string): Promise<string> => {
  const wasm = join(
    createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg'),
    '../schema_engine_bg.wasm',
  )
  const instance = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(wasm)), {
    './schema_engine_bg.js': engine as unknown as WebAssembly.ModuleImports,
  })
  engine.__wbg_set_wasm(instance.exports)
  ;(instance.exports.__wbindgen_start as () => void)()
  const content = readFileSync(join(root, 'prisma/schema.prisma'), 'utf8')
  const made = await engine.SchemaEngine.new(
    { datamodels: [['schema.prisma', content]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(new PrismaPg(url)),
  )
  const { stdout } = await made.diff({
    from: { tag: 'empty' },
    to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content }] },
    script: true,
    exitCode: null,
    shadowDatabaseUrl: null,
    filters: { externalTables: [], externalEnums: [] },
  } as Parameters<typeof made.diff>[0])
  return stdout ?? ''
}

/** Every column, index, and constraint of the public schema, one line each. */
const objectsOf = async (client: pg.Client): Promise<string[]> => {
  const { rows } = await client.query<{ line: string }>(`
    select 'column ' || table_name || '.' || column_name || ' ' || udt_name || ' ' || is_nullable || ' '
      || coalesce(column_default, '-') || ' ' || coalesce(datetime_precision::text, '') as line
    from information_schema.columns where table_schema = 'public' and table_name <> '_prisma_migrations'
    union all
    select 'index ' || indexname || ' ' || indexdef from pg_indexes
    where schemaname = 'public' and tablename <> '_prisma_migrations'
    union all
    select case contype when 'c' then 'check ' else 'constraint ' end || conrelid::regclass::text || '.' || conname
      || ' ' || pg_get_constraintdef(oid)
    from pg_constraint where connamespace = 'public'::regnamespace and contype in ('p', 'f', 'u', 'c')
      and conrelid::regclass::text <> '_prisma_migrations'
    order by 1`)
  return rows.map((row) => row.line.replaceAll('"', ''))
}

const open: TestDatabase[] = []
const database = async (): Promise<TestDatabase> => {
  const made = await emptyDatabase()
  open.push(made)
  return made
}
const connected = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

afterEach(async () => {
  for (const made of open.splice(0)) await made.drop()
})

describe('migrate', () => {
  it('makes what the schema says, and the listed raw objects', async () => {
    const migrated = await database()
    const planned = await database()
    await migrate(migrated.url)
    const sql = await schemaSql(planned.url)
    const wanted = await connected(planned.url, async (client) => {
      await client.query(sql)
      return objectsOf(client)
    })
    const got = await connected(migrated.url, objectsOf)
    const isRaw = (line: string) => rawObjects.some((name) => line.startsWith(`${name} `))
    expect(got.filter((line) => !isRaw(line))).toEqual(wanted)
    expect(got.filter(isRaw)).toHaveLength(rawObjects.length)
  })

  it('applies once, however many start at the same time', async () => {
    const { url } = await database()
    const runs = await Promise.all([migrate(url), migrate(url), migrate(url)])
    expect(runs.flat()).toHaveLength(new Set(runs.flat()).size)
    expect(await migrate(url)).toEqual([])
  })

  it('refuses a migration that was changed, and a database that is newer', async () => {
    const { url } = await database()
    await migrate(url)
    await connected(url, (client) => client.query(`update "_prisma_migrations" set checksum = 'other'`))
    await expect(migrate(url)).rejects.toThrow(/was changed/)
    await connected(url, (client) =>
      client.query(`update "_prisma_migrations" set migration_name = '29990101_later'`),
    )
    await expect(migrate(url)).rejects.toThrow(/newer than this program/)
  })
})
