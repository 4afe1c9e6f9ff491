// PostgreSQL alone, in the foreground, for a container of its own. `--check` ends with 0 when it answers.
import { closeAll, closeOnSignals, onClose } from './lib/closing.mjs'
import { dataFolder, lockDataFolder, makeDataFolder } from './lib/data.mjs'
import { postgresAnswers, startPostgres } from './lib/postgres.mjs'
import { main, say } from './lib/say.mjs'

await main(async () => {
  const folder = dataFolder()
  if (process.argv.includes('--check')) return (await postgresAnswers(folder)) ? 0 : 1
  makeDataFolder(folder)
  closeOnSignals(() => 0)
  try {
    onClose('data folder', await lockDataFolder(folder))
    const database = await startPostgres(folder, { keepAlive: true })
    onClose('PostgreSQL', () => database.stop())
    say(`PostgreSQL answers: ${database.url}`)
    // The timer keeps this process alive until a signal ends it.
    await new Promise(() => setInterval(() => {}, 60_000))
  } finally {
    await closeAll()
  }
})
