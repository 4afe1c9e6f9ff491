// The scripted model for tests: the server that also runs the demo.
export type { Reply, RequestView, Rule, Scenario } from '../../src/server/providers/demo/scenario.ts'
export {
  type RecordedRequest,
  type ScriptedModel,
  startScriptedModel,
} from '../../src/server/providers/demo/server.ts'
