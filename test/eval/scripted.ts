/** The scripted model of the evaluation: a server over real HTTP that hands each request's bytes to the policy. */
import { describeModel, resolveModel } from '../../src/server/providers/directory.ts'
import { type ScriptedModel, startScriptedModel } from '../scripted-model/scripted-model.ts'
import type { EvaluatedModel } from './harness.ts'
import { policy } from './policy.ts'

const name = 'policy'

export const startPolicy = async (): Promise<{ server: ScriptedModel; model: EvaluatedModel }> => {
  const server = await startScriptedModel({
    scenarios: [
      {
        name,
        rules: [
          {
            // The view names the request; the policy is given its bytes and nothing else.
            reply: (view) => {
              const request = server.requests.findLast((each) => each.view === view)
              if (request === undefined) throw new Error('the request is not remembered')
              return policy(request.bytes.toString('utf8'))
            },
          },
        ],
      },
    ],
  })
  const kind = 'openai-responses' as const
  const baseUrl = `${server.url}/v1`
  const known = { ...describeModel(kind, name, baseUrl), contextTokens: 200_000, family: 'policy' }
  const { model } = resolveModel({ kind, baseUrl, key: 'none' }, known)
  return { server, model: { connection: { wire: kind, baseUrl, apiKey: 'none' }, info: model } }
}
