// A rollout of any length as an agent leaves it, written past the runtime: turns of steps with their windows, blocks,
// requests that can be rebuilt, tools of several kinds, outputs, waits, failures, hand-overs and a restart now and then.
// The same seed writes the same rollout but for its ids.
import { sha256 } from '../../../src/lib/sha256.ts'
import type { Usage } from '../../../src/protocol/event.ts'
import { addUsage, noUsage } from '../../../src/protocol/event.ts'
import { newId } from '../../../src/protocol/ids.ts'
import type { Store } from '../../../src/server/store/types.ts'
import { numbersOf } from '../../setup/random.ts'
import { WrittenThread, withLease } from '../../setup/written-thread.ts'

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
const words =
  'the build reads every file once and writes what changed so that a failed test can be run again with the same cache upload parser retry socket window token limit header stream buffer index error value null promise queue'.split(
    ' ',
  )
const folders = ['src/upload', 'src/server', 'src/client', 'test', 'docs', 'scripts']

class SeededThread extends WrittenThread {
  readonly #random: () => number
  readonly #outputs: { text: string; hash: string; chars: number }[]
  #window = { stepsLeft: 0, steps: 0, tokens: 0, last: 0 }

  constructor(store: Store, leaseOwner: string, ownerId: string, seed: number) {
    super({ store, leaseOwner, ownerId, model: 'bench-large', maxOutputTokens: 32_000 })
    this.#random = numbersOf(seed)
    // Large outputs repeat, as runs of the same tests do; each is stored once.
    this.#outputs = Array.from({ length: 12 }, (_, n) => {
      const text = Array.from({ length: 60 + n * 120 }, (_, line) => `${line} ${this.words(9)}`).join('\n')
      return { text, hash: this.blob(text), chars: text.length }
    })
  }

  int(below: number): number {
    return Math.floor(this.#random() * below)
  }

  words(count: number): string {
    return Array.from({ length: count }, () => words[this.int(words.length)]).join(' ')
  }

  path(): string {
    return `${folders[this.int(folders.length)]}/${words[this.int(words.length)]}-${this.int(60)}.ts`
  }

  override block(...given: Parameters<WrittenThread['block']>): number {
    const tokens = super.block(...given)
    this.#window.tokens += tokens
    return tokens
  }

  openWindow(reason: 'first_turn' | 'asked' | 'budget'): void {
    const before = this.windowId
    const index = this.counts.windows
    if (index > 0) this.event('window.closed', { index: index - 1, reason, tokens: this.#window.tokens })
    this.nextWindow()
    this.#window = {
      stepsLeft: stepsInWindow.least + this.int(stepsInWindow.more),
      steps: 0,
      tokens: 0,
      last: 0,
    }
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
    const blocks = this.wire.length
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
    const dice = this.#random()
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
    const large = this.#random() < 0.06 ? this.#outputs[this.int(this.#outputs.length)] : undefined
    const text = large?.text ?? Array.from({ length: 2 + this.int(14) }, () => this.words(8)).join('\n')
    const failed = this.#random() < 0.05
    const commandId = id.replace(/^itm_/, 'cmd_')
    this.at += 4 + (kind === 'command' ? this.int(this.#random() < 0.1 ? 40_000 : 900) : this.int(12))
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
      status: failed ? 'failed' : 'succeeded',
      startedAt,
      endedAt: this.at,
      output,
      detail,
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
    if (this.#window.stepsLeft <= 0) this.openWindow(this.#random() < 0.5 ? 'asked' : 'budget')
    const window = this.#window
    window.stepsLeft -= 1
    const input = window.tokens
    const cachedInput = window.steps === 0 ? 0 : Math.floor(window.last * 0.98)
    window.last = input
    window.steps += 1
    const startedAt = this.at
    const stepId = this.beginStep(index, input)
    const firstTokenMs = 200 + this.int(900)
    const retried = this.#random() < 0.01
    if (retried) {
      const error = { code: 'provider_overloaded', message: 'Busy.', next: 'It is tried again.' }
      this.event('step.retried', { error, attempt: 1, waitMs: 1_000, nextAt: this.at + 1_000 }, { stepId })
      this.at += 1_000
    }
    this.at += firstTokenMs + this.int(4_000)
    if (this.#random() < 0.4) this.message('reasoning', this.words(40), stepId)
    if (this.#random() < 0.25) this.message('agent_message', this.words(20), stepId)
    const calls = isLast ? 0 : 1 + (this.#random() < 0.2 ? 1 + this.int(2) : 0)
    let wrote = false
    for (let call = 0; call < calls; call += 1) wrote = this.tool(stepId, this.#random() < 0.004) || wrote
    const output = 60 + this.int(900)
    const usage: Usage = { input, cachedInput, cacheWrite: 0, output, reasoning: this.int(output) }
    const costMicros = Math.round((input - cachedInput) * 1.25 + cachedInput * 0.125 + output * 10)
    const totalMs = this.at - startedAt
    const failed = this.#random() < 0.004
    const error = { code: 'provider_unreachable', message: 'No answer.', next: 'Try again.' }
    const stopReason = isLast ? 'end' : 'tool_calls'
    if (failed) this.event('step.failed', { error, usage, costMicros, totalMs, retries: 2 }, { stepId })
    else
      this.event(
        'step.completed',
        {
          usage,
          costMicros,
          firstTokenMs,
          totalMs,
          retries: retried ? 1 : 0,
          stopReason,
          toolCalls: calls,
          contextTokens: input + output,
          contextLimit,
          estimatedTokens: input,
        },
        { stepId },
      )
    this.held.stepEnds.push({
      stepId,
      status: failed ? 'failed' : 'completed',
      usage,
      costMicros,
      firstTokenMs,
      totalMs,
      retries: retried ? 1 : 0,
      providerRequestId: `req_${this.seq}`,
      stopReason,
      rawResponseHash: null,
    })
    if (wrote) this.checkpoint(stepId)
    this.at += 3 + this.int(5)
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
        checkpointId: newId('chk'),
        tree,
        previousTree: null,
        baseTree: tree,
        files: [file],
        fileCount: 1,
        additions,
        deletions,
        leftOut: [],
        durationMs: 30 + this.int(60),
      },
      { stepId },
    )
  }

  turn(): void {
    this.counts.turns += 1
    const n = this.counts.turns
    this.turnId = newId('trn')
    this.at += 20_000 + this.int(200_000)
    const startedAt = this.at
    const model = { providerId: newId('prv'), model: this.frozen.model }
    this.event('turn.started', { model, modelLabel: 'Bench large' })
    if (n === 1) this.openWindow('first_turn')
    this.message('user_message', `Question ${n}: ${this.words(18)}?`)
    const steps = 1 + this.int(2 * stepsInTurn)
    let usage = noUsage
    let costMicros = 0
    for (let index = 0; index < steps; index += 1) {
      const done = this.step(index, index === steps - 1)
      costMicros += done.costMicros
      usage = addUsage(usage, done.usage)
    }
    if (this.#random() < 0.02)
      this.event('server.restarted', { resumed: ['turn'], repeated: [], abandoned: [] })
    this.message('agent_message', `The newest answer to question ${n}. ${this.words(60)}`)
    const end = { usage, costMicros, durationMs: this.at - startedAt, steps }
    const dice = this.#random()
    const error = { code: 'provider_unreachable', message: 'No answer.', next: 'Try again.' }
    if (dice < 0.03) this.event('turn.failed', { ...end, error })
    else if (dice < 0.06) this.event('turn.interrupted', { ...end, reason: 'person' })
    else this.event('turn.completed', end)
    this.turnId = undefined
  }
}

/** Writes the rollout; resolves when everything is stored. About 20,000 events a second on two cores. */
export const seedRollout = (store: Store, options: SeedOptions): Promise<SeededRollout> =>
  withLease(store, async (leaseOwner) => {
    const { projectId, ownerId, events, seed = 1, title = `${events} events` } = options
    const thread = new SeededThread(store, leaseOwner, ownerId, seed)
    await thread.open(projectId, title)
    const flush = (): Promise<void> => thread.flush('The newest answer')
    while (thread.seq < events) {
      thread.turn()
      if (thread.held.events.length >= eventsInAppend) await flush()
    }
    if (thread.held.events.length > 0) await flush()
    return { threadId: thread.threadId, events: thread.seq, ...thread.counts }
  })
