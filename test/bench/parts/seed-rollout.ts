// A rollout of any length as an agent leaves it, written past the runtime: turns of steps with their windows, blocks,
// requests that can be rebuilt, tools of several kinds, outputs, waits, failures, hand-overs and a restart now and then.
// The same seed writes the same rollout but for its ids.
import { createHash } from 'node:crypto'
import type { NewEvent, ThreadEvent, Usage } from '../../../src/protocol/event.ts'
import { noUsage } from '../../../src/protocol/event.ts'
import { newId } from '../../../src/protocol/ids.ts'
import { defaultThreadSettings } from '../../../src/protocol/settings.ts'
import type { WindowFrozen } from '../../../src/server/context/types.ts'
import { openaiResponses } from '../../../src/server/providers/openai-responses.ts'
import type { PromptBlock, WireBlock } from '../../../src/server/providers/types.ts'
import type { BlockRow, Store, ThreadAppend, ThreadState } from '../../../src/server/store/types.ts'
import { freshState } from '../../setup/store.ts'

export type SeedOptions = {
  projectId: string
  ownerId: string
  /** At least so many; the last turn is whole. */
  events: number
  seed?: number
  title?: string
}

export type SeededRollout = {
  threadId: string
  events: number
  turns: number
  steps: number
  windows: number
}

const eventsInAppend = 2_500
const stepsInTurn = 18
/** Steps of a window: 40 to 140, as a window of 200,000 tokens has them. */
const stepsInWindow = { least: 40, more: 100 }
const contextLimit = 200_000
const frozen: WindowFrozen = {
  wire: 'openai-responses',
  model: 'bench-large',
  family: 'bench',
  thinking: false,
  traits: {
    reasoning: 'payload',
    reasoningOnEveryMessage: false,
    developerRole: 'developer',
    maxTokensField: 'max_completion_tokens',
    thinking: 'none',
    cacheKey: true,
    images: true,
  },
}

/** Mulberry32: small, seeded, good enough for making things up. */
const randomOf = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const words =
  'the build reads every file once and writes what changed so that a failed test can be run again with the same cache upload parser retry socket window token limit header stream buffer index error value null promise queue'.split(
    ' ',
  )
const folders = ['src/upload', 'src/server', 'src/client', 'test', 'docs', 'scripts']
const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

type Sink = Required<
  Pick<ThreadAppend, 'events' | 'windows' | 'blocks' | 'steps' | 'stepEnds' | 'blobs' | 'refs'>
>
const emptySink = (): Sink => ({
  events: [],
  windows: [],
  blocks: [],
  steps: [],
  stepEnds: [],
  blobs: [],
  refs: [],
})

class Writer {
  sink = emptySink()
  seq = 1
  at = Date.UTC(2026, 10, 2, 9)
  counts = { turns: 0, steps: 0, windows: 0 }
  windowId = newId('win')
  readonly random: () => number
  readonly threadId: string
  readonly ownerId: string
  #window: { wire: WireBlock[]; stepsLeft: number; steps: number; tokens: number; last: number } = {
    wire: [],
    stepsLeft: 0,
    steps: 0,
    tokens: 0,
    last: 0,
  }
  #turnId: string | undefined
  readonly #envelope: Uint8Array
  readonly #outputs: { text: string; hash: string; chars: number }[]

  constructor(threadId: string, ownerId: string, seed: number) {
    this.threadId = threadId
    this.ownerId = ownerId
    this.random = randomOf(seed)
    this.#envelope = openaiResponses.encodeEnvelope(
      {
        model: frozen.model,
        effort: null,
        thinking: false,
        maxOutputTokens: 32_000,
        promptCacheKey: 'seed',
        parallelToolCalls: true,
      },
      frozen.traits,
    )
    // Large outputs repeat, as runs of the same tests do; each is stored once.
    this.#outputs = Array.from({ length: 12 }, (_, n) => {
      const text = Array.from({ length: 60 + n * 120 }, (_, line) => `${line} ${this.words(9)}`).join('\n')
      const bytes = Buffer.from(text)
      const hash = sha256(bytes)
      this.sink.blobs.push({ hash, bytes })
      this.sink.refs.push(hash)
      return { text, hash, chars: text.length }
    })
    const bytes = this.#envelope
    this.sink.blobs.push({ hash: sha256(bytes), bytes })
    this.sink.refs.push(sha256(bytes))
  }

  int(below: number): number {
    return Math.floor(this.random() * below)
  }

  words(count: number): string {
    return Array.from({ length: count }, () => words[this.int(words.length)]).join(' ')
  }

  path(): string {
    return `${folders[this.int(folders.length)]}/${words[this.int(words.length)]}-${this.int(60)}.ts`
  }

  event(type: NewEvent['type'], body: object, about: { stepId?: string; itemId?: string } = {}): void {
    this.seq += 1
    const turn = this.#turnId === undefined ? {} : { turnId: this.#turnId }
    this.sink.events.push({
      threadId: this.threadId,
      seq: this.seq,
      type,
      windowId: this.windowId,
      ...turn,
      ...about,
      actorId: type === 'item.completed' ? 'agent' : 'system',
      at: this.at,
      body,
    } as unknown as ThreadEvent)
  }

  block(block: PromptBlock, reason: string, itemId: string | null, kind: string = block.kind): void {
    const wire = openaiResponses.encodeBlock(block, frozen.traits)
    if (wire === null) return
    const tokens = Math.ceil(wire.bytes.byteLength / 4)
    const row: BlockRow = {
      windowId: this.windowId,
      idx: this.#window.wire.length,
      kind,
      itemId,
      callId: 'callId' in block ? block.callId : null,
      hash: sha256(JSON.stringify(block)),
      wire: wire.bytes,
      tokens,
      reason,
    }
    this.#window.wire.push(wire)
    this.#window.tokens += tokens
    this.sink.blocks.push(row)
  }

  openWindow(reason: 'first_turn' | 'asked' | 'budget'): void {
    const before = this.windowId
    const index = this.counts.windows
    if (index > 0) {
      this.event('window.closed', { index: index - 1, reason, tokens: this.#window.tokens })
      this.windowId = newId('win')
    }
    this.counts.windows += 1
    this.#window = {
      wire: [],
      stepsLeft: stepsInWindow.least + this.int(stepsInWindow.more),
      steps: 0,
      tokens: 0,
      last: 0,
    }
    this.sink.windows.push({ windowId: this.windowId, index, frozen })
    for (const name of ['exec_command', 'read_file', 'apply_patch', 'notes_write', 'new_context'])
      this.block(
        { kind: 'tool', name, description: this.words(60), parameters: { type: 'object', properties: {} } },
        'window_start',
        null,
      )
    this.block({ kind: 'instructions', text: `You are Baton. ${this.words(600)}` }, 'window_start', null)
    this.block(
      { kind: 'developer', parts: [{ type: 'text', text: this.words(200) }] },
      'window_start',
      null,
      'world:rules',
    )
    if (index > 0)
      this.block(
        { kind: 'developer', parts: [{ type: 'text', text: `<hint>${this.words(300)}</hint>` }] },
        'hint',
        null,
      )
    const blocks = this.#window.wire.length
    const tokens = this.#window.tokens
    const hint = index === 0 ? {} : { fromWindowId: before, hint: { text: this.words(300) } }
    const body = { index, reason, blocks, tokens, strategy: 'windows', limitTokens: contextLimit, ...hint }
    this.event('window.opened', body)
    if (index === 0) return
    const id = newId('itm')
    const item = { id, type: 'hand_over', fromWindowId: before, toWindowId: this.windowId, reason, index }
    this.event('item.completed', { item }, { itemId: id })
  }

  message(type: 'user_message' | 'agent_message' | 'reasoning', text: string, stepId?: string): void {
    const id = newId('itm')
    const item =
      type === 'user_message'
        ? { id, type, actorId: this.ownerId, content: [{ type: 'text', text }], via: 'start' }
        : type === 'agent_message'
          ? { id, type, phase: stepId === undefined ? 'final' : 'commentary', text: { text } }
          : { id, type, text: { text } }
    this.event('item.completed', { item }, { itemId: id, ...(stepId === undefined ? {} : { stepId }) })
    if (type === 'user_message') this.block({ kind: 'user', parts: [{ type: 'text', text }] }, 'message', id)
    else if (type === 'agent_message')
      this.block({ kind: 'assistant', text, group: stepId ?? id }, 'output', id)
  }

  tool(stepId: string, asks: boolean): boolean {
    const id = newId('itm')
    const about = { stepId, itemId: id }
    const dice = this.random()
    const kind = dice < 0.55 ? 'command' : dice < 0.8 ? 'read' : dice < 0.95 ? 'patch' : 'note'
    const tool = { command: 'exec_command', read: 'read_file', patch: 'apply_patch', note: 'notes_write' }[
      kind
    ]
    const path = this.path()
    const command = ['npm test', `rg -n ${this.words(1)} ${path}`, `sed -n 1,80p ${path}`, 'git status'][
      this.int(4)
    ] as string
    const argumentsText = JSON.stringify(
      kind === 'command' ? { cmd: command } : kind === 'patch' ? { patch: this.words(80) } : { path },
    )
    const callId = `call_${this.counts.steps}_${this.seq}`
    const base = { id, type: 'tool_call', callId, tool, arguments: { text: argumentsText } }
    this.event('item.started', { item: { ...base, state: { status: 'proposed' } } }, about)
    if (asks) {
      const approvalId = newId('apr')
      this.event('approval.requested', { approvalId, action: command, reason: 'It writes outside.' }, about)
      this.at += 5_000 + this.int(60_000)
      this.event('approval.resolved', { approvalId, decision: 'allowed' }, about)
    }
    const startedAt = this.at
    this.event('item.started', { item: { ...base, state: { status: 'running', startedAt } } }, about)
    const large = this.random() < 0.06 ? this.#outputs[this.int(this.#outputs.length)] : undefined
    const text = large?.text ?? Array.from({ length: 2 + this.int(14) }, () => this.words(8)).join('\n')
    const failed = this.random() < 0.05
    const commandId = id.replace(/^itm_/, 'cmd_')
    this.at += 4 + (kind === 'command' ? this.int(this.random() < 0.1 ? 40_000 : 900) : this.int(12))
    if (kind === 'command') {
      const started = { commandId, itemId: id, command, mode: 'workspace-write', tty: false }
      this.event('command.started', started, about)
      const exit = { status: 'exited', exitCode: failed ? 1 : 0, signal: null, bytes: text.length }
      this.event('command.exited', { commandId, itemId: id, ...exit }, about)
    }
    const lines = { additions: 1 + this.int(30), deletions: this.int(12) }
    const detail =
      kind === 'command'
        ? {
            type: 'command',
            commandId,
            command,
            exitCode: failed ? 1 : 0,
            running: false,
            bytes: text.length,
          }
        : kind === 'patch'
          ? { type: 'patch', files: [{ path, change: 'modified', ...lines }] }
          : { type: 'read', path, lines: 40 }
    const output = large
      ? { text: text.slice(0, 2_000), blob: large.hash, chars: large.chars }
      : { text: text.slice(0, 2_000) }
    const error = { code: 'tool_failed', message: 'It ended with 1.', next: 'Read the output.' }
    const state = {
      ...{ status: failed ? 'failed' : 'succeeded', startedAt, endedAt: this.at, output, detail },
      ...(failed ? { error } : {}),
    }
    this.event('item.completed', { item: { ...base, state } }, about)
    const blockBase = { callId, name: tool, group: stepId }
    this.block({ kind: 'tool_call', argumentsText, ...blockBase }, 'output', id)
    this.block(
      { kind: 'tool_result', parts: [{ type: 'text', text }], isError: failed, ...blockBase },
      'result',
      id,
    )
    return kind === 'patch'
  }

  step(index: number, isLast: boolean): { usage: Usage; costMicros: number } {
    if (this.#window.stepsLeft <= 0) this.openWindow(this.random() < 0.5 ? 'asked' : 'budget')
    const window = this.#window
    window.stepsLeft -= 1
    const stepId = newId('stp')
    const blockCount = window.wire.length
    const bodySha256 = sha256(openaiResponses.assembleBody(this.#envelope, window.wire, []))
    const input = window.tokens
    const cachedInput = window.steps === 0 ? 0 : Math.floor(window.last * 0.98)
    window.last = input
    window.steps += 1
    const startedAt = this.at
    const newBlocks = blockCount
    this.event(
      'step.started',
      { index, blockCount, newBlocks, bodySha256, estimatedTokens: input },
      { stepId },
    )
    this.sink.steps.push({
      ...{ stepId, windowId: this.windowId, turnId: this.#turnId ?? '', index, blockCount, bodySha256 },
      ...{ envelopeHash: sha256(this.#envelope), cacheMarks: [], model: frozen.model, startedAt },
    })
    const firstTokenMs = 200 + this.int(900)
    const retried = this.random() < 0.01
    if (retried) {
      const error = { code: 'provider_overloaded', message: 'Busy.', next: 'It is tried again.' }
      this.event('step.retried', { error, attempt: 1, waitMs: 1_000, nextAt: this.at + 1_000 }, { stepId })
      this.at += 1_000
    }
    this.at += firstTokenMs + this.int(4_000)
    if (this.random() < 0.4) this.message('reasoning', this.words(40), stepId)
    if (this.random() < 0.25) this.message('agent_message', this.words(20), stepId)
    const calls = isLast ? 0 : 1 + (this.random() < 0.2 ? 1 + this.int(2) : 0)
    let wrote = false
    for (let call = 0; call < calls; call += 1) wrote = this.tool(stepId, this.random() < 0.004) || wrote
    const output = 60 + this.int(900)
    const usage: Usage = { input, cachedInput, cacheWrite: 0, output, reasoning: this.int(output) }
    const costMicros = Math.round((input - cachedInput) * 1.25 + cachedInput * 0.125 + output * 10)
    const totalMs = this.at - startedAt
    const failed = this.random() < 0.004
    const error = { code: 'provider_unreachable', message: 'No answer.', next: 'Try again.' }
    const stopReason = isLast ? 'end' : 'tool_calls'
    if (failed) this.event('step.failed', { error, usage, costMicros, totalMs, retries: 2 }, { stepId })
    else
      this.event(
        'step.completed',
        {
          ...{ usage, costMicros, firstTokenMs, totalMs, retries: retried ? 1 : 0, stopReason },
          ...{ toolCalls: calls, contextTokens: input + output, contextLimit, estimatedTokens: input },
        },
        { stepId },
      )
    this.sink.stepEnds.push({
      ...{ stepId, status: failed ? 'failed' : 'completed', usage, costMicros, firstTokenMs, totalMs },
      ...{ retries: retried ? 1 : 0, providerRequestId: `req_${this.seq}`, stopReason },
      rawResponseHash: null,
    })
    if (wrote) this.checkpoint(stepId)
    this.at += 3 + this.int(5)
    this.counts.steps += 1
    return { usage, costMicros }
  }

  checkpoint(stepId: string): void {
    const additions = 1 + this.int(40)
    const deletions = this.int(12)
    const tree = sha256(`tree ${this.seq}`).slice(0, 40)
    const file = { path: this.path(), change: 'modified', additions, deletions, binary: false }
    this.event(
      'checkpoint.created',
      {
        ...{ checkpointId: newId('chk'), tree, previousTree: null, baseTree: tree, files: [file] },
        ...{ fileCount: 1, additions, deletions, leftOut: [], durationMs: 30 + this.int(60) },
      },
      { stepId },
    )
  }

  turn(): void {
    this.counts.turns += 1
    const n = this.counts.turns
    this.#turnId = newId('trn')
    this.at += 20_000 + this.int(200_000)
    const startedAt = this.at
    const model = { providerId: newId('prv'), model: frozen.model }
    this.event('turn.started', { model, modelLabel: 'Bench large' })
    if (n === 1) this.openWindow('first_turn')
    this.message('user_message', `Question ${n}: ${this.words(18)}?`)
    const steps = 1 + this.int(2 * stepsInTurn)
    let usage = noUsage
    let costMicros = 0
    for (let index = 0; index < steps; index += 1) {
      const done = this.step(index, index === steps - 1)
      costMicros += done.costMicros
      usage = {
        input: usage.input + done.usage.input,
        cachedInput: usage.cachedInput + done.usage.cachedInput,
        cacheWrite: 0,
        output: usage.output + done.usage.output,
        reasoning: usage.reasoning + done.usage.reasoning,
      }
    }
    if (this.random() < 0.02)
      this.event('server.restarted', { resumed: ['turn'], repeated: [], abandoned: [] })
    this.message('agent_message', `The newest answer to question ${n}. ${this.words(60)}`)
    const end = { usage, costMicros, durationMs: this.at - startedAt, steps }
    const dice = this.random()
    const error = { code: 'provider_unreachable', message: 'No answer.', next: 'Try again.' }
    if (dice < 0.03) this.event('turn.failed', { ...end, error })
    else if (dice < 0.06) this.event('turn.interrupted', { ...end, reason: 'person' })
    else this.event('turn.completed', end)
    this.#turnId = undefined
  }
}

/** Writes the rollout; resolves when everything is stored. About 20,000 events a second on two cores. */
export const seedRollout = async (store: Store, options: SeedOptions): Promise<SeededRollout> => {
  const { projectId, ownerId, events, seed = 1, title = `${events} events` } = options
  const leaseOwner = newId('own')
  await store.leases.register({ ownerId: leaseOwner, installId: 'bench', worker: leaseOwner })
  const threadId = newId('thr')
  const writer = new Writer(threadId, ownerId, seed)
  const first = {
    ...{ threadId, seq: 1, type: 'thread.created', windowId: writer.windowId, actorId: ownerId },
    ...{ at: writer.at, body: { projectId, title, settings: defaultThreadSettings } },
  } as ThreadEvent
  await store.threads.create({
    ...{
      threadId,
      projectId,
      ownerId,
      title,
      fromThreadId: null,
      seed: null,
      lease: { ownerId: leaseOwner },
    },
    ...{ first, state: freshState(writer.windowId) },
  })
  const flush = async (): Promise<void> => {
    const { counts, seq, windowId } = writer
    const state: ThreadState = {
      ...freshState(windowId),
      ...{ head: seq, turns: counts.turns, steps: counts.steps, windowIndex: counts.windows - 1 },
      ...{ lastLine: 'The newest answer', updatedAt: writer.at },
    }
    await store.leases.renew(leaseOwner)
    const { lost } = await store.log.append(leaseOwner, [{ threadId, fence: 1, state, ...writer.sink }])
    if (lost.length > 0) throw new Error('the lease was lost while the rollout was written')
    writer.sink = emptySink()
  }
  while (writer.seq < events) {
    writer.turn()
    if (writer.sink.events.length >= eventsInAppend) await flush()
  }
  if (writer.sink.events.length > 0) await flush()
  await store.leases.release(leaseOwner)
  return { threadId, events: writer.seq, ...writer.counts }
}
