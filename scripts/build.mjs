// Builds the app when something that goes into it changed; `npm start` and `npm test` do so by themselves.
import { ensureBuilt } from './lib/build.mjs'
import { prepare } from './lib/install.mjs'
import { main, say } from './lib/say.mjs'

await main(async () => {
  await prepare()
  if (!(await ensureBuilt())) say('The app is up to date.')
})
