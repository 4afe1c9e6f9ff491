// `npm run verify`: format, lint, types, unused code, boundaries and unit tests, side by side, without Docker.
import { join } from 'node:path'
import { forgetBuiltTypes, generate } from './lib/build.mjs'
import { prepare } from './lib/install.mjs'
import { pinnedNode, root, run, tail } from './lib/run.mjs'
import { duration, main, say } from './lib/say.mjs'

const bin = (name) => join(root, 'node_modules/.bin', name)

const CHECKS = [
  ['format and lint', [bin('biome'), 'ci', '.']],
  ['types', [bin('tsc'), '--noEmit', '-p', '.']],
  ['unused files and exports', [bin('knip')]],
  ['boundaries and unit tests', [bin('vitest'), 'run', '--project', 'unit', '--reporter=dot']],
]

await main(async () => {
  await prepare()
  await generate()
  forgetBuiltTypes()
  let failed = 0
  await Promise.all(
    CHECKS.map(async ([name, args]) => {
      const began = performance.now()
      const { code, output } = await run(pinnedNode, args)
      const took = duration(performance.now() - began)
      say(code === 0 ? `✓ ${name} (${took})` : `\n✗ ${name} (${took})\n${tail(output, 120)}\n`)
      if (code !== 0) failed++
    }),
  )
  if (failed > 0)
    say(`${failed} of ${CHECKS.length} checks failed. Formatting is repaired by: npm run format`)
  return failed === 0 ? 0 : 1
})
