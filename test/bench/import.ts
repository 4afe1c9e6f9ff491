// What reading a large rollout costs: a Codex session made up on the way, through the importer into a real database, in
// one process whose memory is the server's share. `--megabytes N` makes it so long (700 is the figure's, and the default).
// With CASES_DIR the reports of all real rollouts in it are shown first, a line each.
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { newId } from '../../src/protocol/ids.ts'
import type { ImportReport } from '../../src/protocol/import.ts'
import { createLog } from '../../src/server/log.ts'
import { createImporter } from '../../src/server/rollouts/import/importer.ts'
import { readRollouts } from '../../src/server/rollouts/import/reading.ts'
import { firstState } from '../../src/server/runtime/new-thread.ts'
import { nextState } from '../../src/server/runtime/thread-state.ts'
import { casesIn } from '../setup/cases.ts'
import { figure, progress } from '../setup/figures.ts'
import { openTestStore } from '../setup/store.ts'

const { values: given } = parseArgs({ options: { megabytes: { type: 'string', default: '700' } } })
const mega = 1_024 ** 2
const wanted = Number(given.megabytes) * mega
const memoryGoal = 1_024 * mega
/** How often memory and the loop are looked at. */
const lookMs = 20

const cases = casesIn('rollouts').path

/** Files of the corpus that are rollouts; requests, answers and logs of programs stand beside them. */
const rolloutFolders =
  /^(?:codex-rollouts(?:-scripted-model)?(?:\/single-records)?|claude-code|pi|swe-agent|openhands|inspect)$/

function* filesOf(folder: string, path = ''): Generator<string> {
  for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`
    if (entry.isDirectory()) yield* filesOf(folder, inner)
    else if (rolloutFolders.test(path)) yield inner
  }
}

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((all, count) => all + count, 0)

const row = (name: string, report: ImportReport): string => {
  const { messages, usage } = report
  return [
    name,
    report.format,
    statSync(join(cases, name)).size,
    report.lines,
    report.rollouts,
    messages.user,
    messages.agent,
    messages.reasoning,
    sum(report.toolCalls),
    messages.tool,
    messages.system,
    report.callsWithoutOutput,
    report.outputsWithoutCall,
    usage.input,
    usage.output,
    sum(report.unknown),
    report.problemsTotal,
  ].join(' | ')
}

const showCorpus = async (): Promise<void> => {
  if (!existsSync(cases)) return progress('no corpus: CASES_DIR names none')
  progress(
    'file | format | bytes | lines | rollouts | user | agent | reasoning | calls | results | system | calls without result | results without call | tokens in | tokens out | unknown | problems',
  )
  for (const name of filesOf(cases)) {
    const source = createReadStream(join(cases, name))
    try {
      const report = await readRollouts(source, name, {
        importedAt: Date.now(),
        actorId: 'system',
        write: async () => undefined,
        storeLarge: () => Promise.reject(new Error('no line is that large')),
      })
      progress(row(name, report))
    } catch (error) {
      progress(`${name} | refused: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

const word = (): string => Math.random().toString(36).slice(2, 9)
const words = (count: number): string => Array.from({ length: count }, word).join(' ')

/** A session of about so many bytes: one call a request, one output in ten long. */
async function* session(bytes: number): AsyncGenerator<Uint8Array> {
  let at = Date.UTC(2026, 0, 1)
  let sent = 0
  let input = 0
  const line = (type: string, payload: unknown): Buffer => {
    at += 500
    return Buffer.from(`${JSON.stringify({ timestamp: new Date(at).toISOString(), type, payload })}\n`)
  }
  const message = (role: string, text: string): Buffer =>
    line('response_item', { type: 'message', role, content: [{ type: 'input_text', text }] })
  yield line('session_meta', { id: 'bench', originator: 'codex_cli', cli_version: '1' })
  yield line('turn_context', { model: 'gpt-5-codex' })
  for (let n = 0; sent < bytes; n += 1) {
    input += 1_000
    const usage = { input_tokens: input, cached_input_tokens: 0, output_tokens: n * 50 }
    const output = JSON.stringify({ output: words(n % 10 === 0 ? 8_000 : 500), metadata: { exit_code: 0 } })
    const chunk = Buffer.concat([
      ...(n % 40 === 0 ? [message('user', `Please ${words(30)}`)] : []),
      line('response_item', {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: words(30) }],
        encrypted_content: words(60),
      }),
      line('response_item', {
        type: 'function_call',
        name: 'shell',
        arguments: JSON.stringify({ command: ['bash', '-lc', `cat ${word()}`] }),
        call_id: `c${n}`,
      }),
      line('response_item', { type: 'function_call_output', call_id: `c${n}`, output }),
      line('event_msg', { type: 'token_count', info: { total_token_usage: usage } }),
      ...(n % 40 === 39 ? [message('assistant', `Done: ${words(40)}`)] : []),
    ])
    sent += chunk.length
    yield chunk
  }
}

await showCorpus()
const test = await openTestStore()
const { store } = test
const ownerId = newId('own')
const person = newId('usr')
await store.leases.register({ ownerId, installId: 'bench', worker: 'bench' })
const beat = setInterval(() => void store.leases.renew(ownerId), 1_000)
const importer = createImporter({
  store,
  ownerId: () => ownerId,
  firstState,
  nextState,
  log: createLog('error'),
})
let peak = 0
let longest = 0
let last = performance.now()
const look = setInterval(() => {
  const now = performance.now()
  peak = Math.max(peak, process.memoryUsage().rss)
  longest = Math.max(longest, now - last - lookMs)
  last = now
}, lookMs)
try {
  const { id: projectId } = await store.projects.create({ name: 'Bench' }, person)
  const from = performance.now()
  const { report, readBytes, error } = await importer.run({
    source: session(wanted),
    fileName: 'session.jsonl',
    bytes: null,
    projectId,
    actorId: person,
  })
  if (report === null || error !== null) throw new Error(error?.message ?? 'nothing was read')
  const seconds = (performance.now() - from) / 1_000
  const what = `${Math.round(readBytes / mega)} MB of a Codex session, ${sum(report.toolCalls)} calls, made up while it is read`
  figure({
    name: 'import: memory of the process at its highest',
    value: peak / mega,
    unit: 'MB',
    goal: { atMost: memoryGoal / mega },
    method: what,
  })
  figure({ name: 'import: time', value: seconds, unit: 's', method: what })
  figure({ name: 'import: longest time in which nothing else ran', value: longest, unit: 'ms', method: what })
} finally {
  clearInterval(look)
  clearInterval(beat)
  await importer.close()
  await test.close()
}
