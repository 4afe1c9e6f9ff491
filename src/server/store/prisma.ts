/**
 * The generated client over the shared pool, and how its errors become faults. Only this room sees its types.
 */
import { PrismaPg } from '@prisma/adapter-pg'
import { type Db, patiently } from './db.ts'
import { PrismaClient } from './generated/client.ts'

export type Client = PrismaClient

/** A client on the same connections as everything else. */
export const openClient = (db: Db): Client =>
  new PrismaClient({ adapter: new PrismaPg(db.pool, { disposeExternalPool: false }), log: [] })

/** Runs a call of the client; `what` names the thing in words for people. */
export const guarded = <T>(what: string, call: () => Promise<T>): Promise<T> => patiently(call, what)

/** What may be handed to a JSON column: plain data, no undefined. */
export const toJson = (value: unknown): object => JSON.parse(JSON.stringify(value)) as object
