/** Tools for the loop's tests: each does one simple thing. */
import { z } from 'zod'
import { defineTool, toolSet } from '../../src/server/tools/registry.ts'
import type { Tool } from '../../src/server/tools/types.ts'

/** Answers with what it was given; may run beside others. */
const echo = defineTool({
  name: 'echo',
  description: 'Says what it is told.',
  input: z.object({ text: z.string() }),
  parallelSafe: true,
  prepare: async (input) => ({ prepared: input }),
  invoke: async ({ text }) => ({ ok: true, text, detail: { type: 'read', path: text } }),
})

/** Writes: alone, and a checkpoint follows. */
const write = defineTool({
  name: 'write',
  description: 'Writes.',
  input: z.object({ text: z.string() }),
  parallelSafe: false,
  prepare: async (input) => ({ prepared: input }),
  invoke: async ({ text }) => ({ ok: true, text: `wrote ${text}`, detail: { type: 'other' } }),
})

/** Fails in the same words whatever it is given. */
const fail = defineTool({
  name: 'fail',
  description: 'Fails.',
  input: z.object({ text: z.string() }),
  parallelSafe: true,
  prepare: async (input) => ({ prepared: input }),
  invoke: async () => ({ ok: false, text: 'no such thing', detail: { type: 'other' } }),
})

const question = defineTool({
  name: 'question',
  description: 'Asks a person.',
  input: z.object({ text: z.string() }),
  parallelSafe: false,
  prepare: async ({ text }, context) => ({
    prepared: await context.ask([{ id: 'q', text, options: [] }], context.signal),
  }),
  invoke: async (answers) => ({ ok: true, text: JSON.stringify(answers), detail: { type: 'question' } }),
})

export const simpleTools = toolSet([echo, write, fail, question])

/** A tool whose calls end when the test says so, in whatever order. */
export const gatedTool = (parallelSafe: boolean) => {
  const running: string[] = []
  const gates = new Map<string, PromiseWithResolvers<string>>()
  const gate = (name: string): PromiseWithResolvers<string> => {
    const known = gates.get(name) ?? Promise.withResolvers<string>()
    gates.set(name, known)
    return known
  }
  const tool: Tool = defineTool({
    name: 'gated',
    description: 'Waits.',
    input: z.object({ name: z.string() }),
    parallelSafe,
    prepare: async (input) => ({ prepared: input }),
    async invoke({ name }, { signal, progress, itemId }) {
      running.push(name)
      progress.commandStarted({
        commandId: itemId.replace('itm_', 'cmd_'),
        command: name,
        cwd: '/',
        tty: false,
      })
      const stopped = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
      const text = await Promise.race([gate(name).promise, stopped])
      return { ok: true, text, detail: { type: 'other' } }
    },
  })
  return { tools: toolSet([tool]), running, open: (name: string, text = name) => gate(name).resolve(text) }
}

/** Waits until something holds: at once by turns of the event loop, then in small sleeps, for two minutes at most. */
export const until = async (holds: () => boolean): Promise<void> => {
  for (let turns = 0; !holds(); turns += 1) {
    if (turns > 61_000) throw new Error('it never came to hold')
    await (turns < 1_000
      ? new Promise((resolve) => setImmediate(resolve))
      : new Promise((resolve) => setTimeout(resolve, 2)))
  }
}
