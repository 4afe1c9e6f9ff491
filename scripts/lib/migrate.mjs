// Brings the database to the schema of this version.
import { Stop, step } from './say.mjs'

/** Applies what is missing, under a lock in the database: two starts at once are harmless. */
export async function migrate(url) {
  const { migrate: apply } = await import('../../src/server/store/migrate.ts')
  try {
    return await step('bringing the database up to date', () => apply(url), { quiet: true })
  } catch (error) {
    throw new Stop(`The database could not be brought up to date: ${error.message}`)
  }
}
