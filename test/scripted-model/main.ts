// The scripted model server as a process: `node test/scripted-model/main.ts [scenario files…]`. Serves the demo model
// and every scenario of the scenarios folder; PORT chooses the port (0: any). Prints its URL in one line, nothing else.
import { resolve } from 'node:path'
import { loadScenarios } from './load.ts'
import { startScriptedModel } from './scripted-model.ts'

const files = process.argv.slice(2).map((file) => resolve(file))
const model = await startScriptedModel({
  scenarios: await loadScenarios(files),
  port: Number(process.env.PORT ?? 0),
  keep: 0,
})
console.log(model.url)

const stop = () => void model.close().then(() => process.exit(0))
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
