/**
 * The real runtime and database with models over real HTTP: the scripted server speaks every wire, and a thread names
 * the wire by the provider it is set to. Sandboxes are in memory.
 */
import type { Item } from '../../src/protocol/item.ts'
import type { ModelRef } from '../../src/protocol/settings.ts'
import type { Interceptors } from '../../src/server/agent/types.ts'
import { createProvider } from '../../src/server/providers/provider.ts'
import { windowTraits } from '../../src/server/providers/traits.ts'
import type { WireKind } from '../../src/server/providers/types.ts'
import { type Reply, type Scenario, startScriptedModel } from '../scripted-model/scripted-model.ts'
import { startTestRuntime, type TestRuntime } from './runtime.ts'
import { model } from './scripted-provider.ts'

const providers: Record<WireKind, string> = {
  'openai-responses': 'prv_0197a0a0-0000-7000-8000-0000000000a1',
  'openai-chat': 'prv_0197a0a0-0000-7000-8000-0000000000a2',
  'anthropic-messages': 'prv_0197a0a0-0000-7000-8000-0000000000a3',
  'google-genai': 'prv_0197a0a0-0000-7000-8000-0000000000a4',
}

/** A model that gives these answers one after the other, whatever it is asked. */
export const inOrder = (name: string, replies: Reply[]): Scenario => ({
  name,
  rules: replies.map((reply) => ({ times: 1, reply })),
})

export type HttpRuntime = TestRuntime & {
  /** The scripted model of this name, spoken to in this wire; each wire is a family of its own. */
  ref(wire: WireKind, name: string): ModelRef
  /** Bodies that went out for the model of this name, oldest first. */
  sent(name: string): string[]
  /** The newest state of every item of the thread, in the order of their first events. */
  items(threadId: string): Promise<Item[]>
}

export const startHttpRuntime = async (
  scenarios: Scenario[],
  interceptors: Interceptors[] = [],
): Promise<HttpRuntime> => {
  const server = await startScriptedModel({ scenarios, hurry: true })
  const test = await startTestRuntime({
    interceptors,
    resolveModel: async ({ providerId, model: name }) => {
      const wire = (Object.keys(providers) as WireKind[]).find((kind) => providers[kind] === providerId)
      if (wire === undefined) throw new Error(`no wire of ${providerId}`)
      const baseUrl = wire === 'anthropic-messages' ? server.url : `${server.url}/v1`
      const connection = { wire, baseUrl, apiKey: 'test' }
      const info = { ...model, id: name, label: name, wire, family: wire }
      return {
        provider: createProvider(connection),
        model: info,
        traits: windowTraits(connection, info, true),
      }
    },
  })
  const close = test.close
  return Object.assign(test, {
    ref: (wire: WireKind, name: string): ModelRef => ({ providerId: providers[wire], model: name }),
    sent: (name: string) =>
      server.requests.filter(({ view }) => view.model === name).map(({ bytes }) => bytes.toString('utf8')),
    items: async (threadId: string) => {
      const items = new Map<string, Item>()
      for (const event of await test.events(threadId))
        if (event.type === 'item.started' || event.type === 'item.completed')
          items.set(event.body.item.id, event.body.item)
      return [...items.values()]
    },
    close: async () => {
      await close()
      await server.close()
    },
  })
}
