// A message in an imported Codex session goes out with exactly the input that Codex itself sends when it resumes the file.
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { casesIn } from '../../../../test/setup/cases.ts'
import { type HttpRuntime, inOrder, startHttpRuntime } from '../../../../test/setup/http-runtime.ts'
import { testUser } from '../../../../test/setup/runtime.ts'
import { createLog } from '../../log.ts'
import { firstState } from '../../runtime/new-thread.ts'
import { nextState } from '../../runtime/thread-state.ts'
import { createImporter, type Importer } from './importer.ts'

const folder = casesIn('rollouts').path
const cases = existsSync(join(folder, 'codex-resume')) ? readdirSync(join(folder, 'codex-resume')) : []
const probe = 'CONTINUE-PROBE'

type Item = Record<string, unknown> & { type: string; role?: string; id?: string }
type Case = { rollout: string; input: Item[] }

const unpacked = (path: string): string =>
  (path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)).toString('utf8')

const readCase = (name: string): Case => JSON.parse(unpacked(join(folder, 'codex-resume', name)))

/** The items of the file as they go over the wire, for telling them from what resuming itself adds. */
const itemsOf = (path: string): Set<string> =>
  new Set(
    unpacked(path)
      .split('\n')
      .filter((line) => line.includes('"response_item"'))
      .map((line) => {
        const { internal_chat_message_metadata_passthrough: _own, ...item } = JSON.parse(line).payload
        return JSON.stringify(item)
      }),
  )

/** What the file says that its model was told first; older files say nothing. */
const ownInstructions = (path: string): string | null => {
  const [first = '{}'] = unpacked(path).split('\n')
  return JSON.parse(first).payload?.base_instructions?.text ?? null
}

describe.skipIf(cases.length === 0)('an imported Codex session (needs CASES_DIR)', () => {
  let test: HttpRuntime
  let importer: Importer
  let projectId: string

  beforeAll(async () => {
    test = await startHttpRuntime([
      inOrder('resumed', [{ text: 'On we go.' }]),
      inOrder('other', [{ text: 'Yes.' }]),
    ])
    projectId = (await test.store.projects.create({ name: 'Imports' }, testUser)).id
    importer = createImporter({
      store: test.store,
      ownerId: test.runtime.ownerId,
      firstState,
      nextState,
      log: createLog('error', () => undefined),
    })
  }, 120_000)
  afterAll(async () => {
    await importer?.close()
    await test?.close()
  })

  const give = async (source: AsyncIterable<Uint8Array>): Promise<string> => {
    const state = await importer.run({
      source,
      fileName: 'a.jsonl',
      bytes: null,
      projectId,
      actorId: testUser,
    })
    expect(state.status).toBe('done')
    return state.threadIds[0] ?? ''
  }
  const say = async (
    threadId: string,
    model: string,
    wire: 'openai-responses' | 'openai-chat',
  ): Promise<string> => {
    await test.send(threadId, {
      type: 'thread.settings',
      settings: { model: test.ref(wire, model) },
    } as never)
    const before = test.sent(model).length
    const from = (await test.store.threads.get(threadId)).head
    await test.say(threadId, probe)
    await test.until(
      threadId,
      (event) => event.seq > from && /^turn\.(completed|failed|limited)$/.test(event.type),
    )
    return test.sent(model)[before] ?? '{}'
  }

  it.each(cases)('%s', { timeout: 120_000 }, async (name) => {
    const { rollout, input } = readCase(name)
    const path = join(folder, rollout.replace(/^hand\//, ''))
    const own = itemsOf(path)
    // Resuming adds its instructions in front and its surroundings behind; a full window it has summarised before.
    const wanted = input.filter((item) => own.has(JSON.stringify(item)))
    const wasSummarised = wanted.length < own.size
    const threadId = await give(createReadStream(path))
    const body = JSON.parse(await say(threadId, 'resumed', 'openai-responses'))
    const sent: Item[] = body.input
    if (wasSummarised) expect(sent).toEqual(expect.arrayContaining(wanted))
    else expect(sent.slice(0, wanted.length)).toEqual(wanted)
    expect(JSON.stringify(sent.at(-1))).toContain(probe)
    // Between the two: what the agent is told of where it is now.
    expect(
      sent.slice(wasSummarised ? own.size : wanted.length, -1).every(({ role }) => role === 'developer'),
    ).toBe(true)
    const stated = ownInstructions(path)
    if (stated !== null) expect(body.instructions).toBe(stated)
    expect(body.tools.length).toBeGreaterThan(0)
    expect((await test.store.threads.get(threadId)).windowIndex).toBe(0)
  })

  it('opens a new window for a model of another wire, and for a session without its first line', async () => {
    const name = cases[0] ?? ''
    const path = join(folder, readCase(name).rollout.replace(/^hand\//, ''))
    const whole = await give(createReadStream(path))
    await say(whole, 'other', 'openai-chat')
    expect((await test.store.threads.get(whole)).windowIndex).toBe(1)
    const rest = unpacked(path).split('\n').slice(1).join('\n')
    async function* text(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(rest)
    }
    const headless = await give(text())
    const body = JSON.parse(await say(headless, 'resumed', 'openai-responses'))
    expect((await test.store.threads.get(headless)).windowIndex).toBe(1)
    expect(JSON.stringify(body.input.at(-1))).toContain(probe)
  })
})
