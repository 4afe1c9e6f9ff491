// `npm run doctor`: looks at everything a start depends on, changes nothing, says what to fix. Built-ins only.
import * as checks from './lib/checks.mjs'
import { main, say } from './lib/say.mjs'

const ORDER = [
  'node',
  'engine',
  'runc',
  'cgroups',
  'landlock',
  'disk',
  'memory',
  'postgres',
  'secrets',
  'port',
  'tests',
]
const SIGN = { true: '✓', false: '✗', warn: '!' }

async function look(name) {
  try {
    // biome-ignore lint/performance/noDynamicNamespaceImportAccess: the list of names is the order on the screen
    return await checks[name]()
  } catch (error) {
    return { ok: 'warn', text: `could not be looked at: ${error.message}`, fix: undefined }
  }
}

await main(async () => {
  let faults = 0
  for (const name of ORDER) {
    const { ok, text, fix } = await look(name)
    say(`${SIGN[String(ok)]} ${name.padEnd(9)} ${text}${fix === undefined ? '' : `\n            → ${fix}`}`)
    if (ok === false) faults++
  }
  say(faults === 0 ? '\nNothing stands in the way of npm start.' : `\n${faults} to fix before npm start.`)
  return faults === 0 ? 0 : 1
})
