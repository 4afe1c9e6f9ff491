// The scripted model for tests: the server that also runs the demo.
export type { Reply, Scenario } from '../../src/server/providers/demo/scenario.ts'
export {
  type ScriptedModel,
  type Sending,
  startScriptedModel,
} from '../../src/server/providers/demo/server.ts'
