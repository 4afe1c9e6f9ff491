// Threads in windows of a few thousand tokens, with everything at once: strategies that change, words in between, stops.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runTurn } from '../../src/server/agent/turn.ts'
import type { WindowState } from '../../src/server/context/types.ts'
import type { ModelEvent, Provider, WireKind } from '../../src/server/providers/types.ts'
import { wireFor } from '../../src/server/providers/wire.ts'
import { newContext } from '../../src/server/tools/new-context.ts'
import { notesWrite } from '../../src/server/tools/notes-write.ts'
import { readFileTool } from '../../src/server/tools/read-file.ts'
import { toolSet } from '../../src/server/tools/registry.ts'
import { calls, ends, says } from '../setup/scripted-provider.ts'
import { fakeControl, stage, turnInput, userId } from './edges.ts'

const tools = toolSet([readFileTool, notesWrite, newContext])
const strategies = ['windows', 'handoff', 'layers'] as const
const files = {
  '/workspace/AGENTS.md': 'Never use tabs.',
  '/workspace/small.txt': 'small\n',
  '/workspace/middle.txt': 'middle of the road\n'.repeat(60),
  '/workspace/large.txt': 'larger than large\n'.repeat(400),
}

/** What the model does for one request, or what happens while it does. */
const action = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('small', 'middle', 'large', 'many', 'say') },
  {
    weight: 3,
    arbitrary: fc.constantFrom('renew', 'note', 'bad_note', 'overflow', 'steer', 'stop', 'person', 'final'),
  },
  { weight: 1, arbitrary: fc.constantFrom(...strategies) },
)
const play = fc.record({
  limit: fc.integer({ min: 1_500, max: 12_000 }),
  strategy: fc.constantFrom(...strategies),
  actions: fc.array(action, { minLength: 5, maxLength: 40 }),
})

/** Ids of calls and of results in a request, of any wire. */
const pairs = (body: string): [string[], string[]] => {
  const asked: string[] = []
  const given: string[] = []
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) look(each)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const each = value as Record<string, never>
    const { type, role } = each as { type?: string; role?: string }
    if (type === 'function_call') asked.push(each.call_id ?? '')
    if (type === 'function_call_output') given.push(each.call_id ?? '')
    if (type === 'tool_use') asked.push(each.id ?? '')
    if (type === 'tool_result') given.push(each.tool_use_id ?? '')
    if (type === 'function' && 'id' in each) asked.push(each.id ?? '')
    if (role === 'tool') given.push(each.tool_call_id ?? '')
    const { functionCall, functionResponse } = each as Record<string, { name: string }>
    if (functionCall) asked.push(functionCall.name)
    if (functionResponse) given.push(functionResponse.name)
    for (const inner of Object.values(each)) look(inner)
  }
  const { tools: _, ...request } = JSON.parse(body) as Record<string, unknown>
  look(request)
  return [asked.sort(), given.sort()]
}

it.each<WireKind>(['openai-responses', 'openai-chat', 'anthropic-messages', 'google-genai'])(
  'whatever happens in small windows, turns end, calls keep their results and requests are known (%s)',
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(play, async ({ limit, strategy, actions }) => {
        const at = stage(files)
        let { control } = at
        at.control.set({ strategy, window: { limitTokens: limit, bufferTokens: 300 } })
        const bodies: string[] = []
        let place = 0
        let n = 0
        const read = (name: string, item = 0): ModelEvent[] => {
          n += 1
          return calls(`c${n}`, 'read_file', { path: `${name}.txt` }, item)
        }
        const wants = { strategy }
        const next = async function* (signal: AbortSignal): AsyncGenerator<ModelEvent> {
          const what = actions[place] ?? 'final'
          place += 1
          const used = Math.round((bodies.at(-1)?.length ?? 0) / 4)
          const tail = ends('tool_calls', used, 20)
          switch (what) {
            case 'small':
            case 'middle':
            case 'large':
              return yield* [...read(what), ...tail]
            case 'many':
              return yield* [
                ...says('All.'),
                ...read('small', 1),
                ...read('middle', 2),
                ...read('small', 3),
                ...tail,
              ]
            case 'renew':
              n += 1
              return yield* [...calls(`n${n}`, 'new_context', {}), ...read('small', 1), ...tail]
            case 'note':
              n += 1
              return yield* [...calls(`w${n}`, 'notes_write', { path: 'a.md', text: `${n}` }), ...tail]
            case 'bad_note':
              n += 1
              return yield* [...calls(`w${n}`, 'notes_write', '{"path":'), ...tail]
            case 'overflow':
              yield {
                type: 'failed',
                error: {
                  code: 'context_overflow',
                  message: 'too long',
                  retryable: false,
                  retryAfterMs: null,
                  status: 400,
                  requestId: null,
                },
              }
              return
            case 'steer':
              control.steers.push({
                opId: `op${n}`,
                actorId: userId,
                content: [{ type: 'text', text: `steered ${'word '.repeat(150)}` }],
              } as never)
              return yield* [...read('small'), ...tail]
            case 'person':
              control.windows.push({ focus: 'Only this.' })
              return yield* [...read('small'), ...tail]
            case 'stop':
              control.stop({ type: 'person', actorId: userId })
              signal.throwIfAborted()
              return
            case 'windows':
            case 'handoff':
            case 'layers':
              wants.strategy = what
              control.set({ strategy: what })
              return yield* [...read('small'), ...tail]
            default:
              return yield* [...says('Done.'), ...ends('end', used, 20)]
          }
        }
        const provider: Provider = {
          wire: wireFor(kind),
          listModels: async () => [],
          stream({ body }, signal) {
            bodies.push(Buffer.from(body).toString('utf8'))
            return next(signal)
          },
        }
        const input = turnInput(provider, tools)
        let held: WindowState = input.window
        at.ports.windowOpened = (window) => {
          held = window
        }
        for (let turn = 0; turn < 6 && place < actions.length; turn += 1) {
          control = fakeControl()
          control.set({ strategy: wants.strategy, window: { limitTokens: limit, bufferTokens: 300 } })
          const from = bodies.length
          const windowsBefore = at.log.windows.length
          const outcome = await runTurn(
            { ...at.ports, control },
            {
              ...input,
              turnId: `trn_${turn}`,
              window: held,
              content: [{ type: 'text', text: `request number ${turn}` }],
            },
          )
          expect(outcome.status).not.toBe('abandoned')
          if (outcome.status === 'failed') expect(outcome).toBe('no failure')
          expect(at.defects).toEqual([])
          const steps = bodies.length - from
          expect(at.log.windows.length - windowsBefore).toBeLessThanOrEqual(steps * 2 + 4)
          for (const body of bodies.slice(from)) {
            const [asked, given] = pairs(body)
            expect(given).toEqual(asked)
            // The document is written before the next message is in any window.
            if (!body.includes('<hand_over_request>')) expect(body).toContain(`request number ${turn}`)
            expect(body).toContain('Never use tabs.')
          }
        }
      }),
      { numRuns: 30 },
    )
  },
)
