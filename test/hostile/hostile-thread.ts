// Writes threads past the runtime, with whatever texts: turns in each of which every kind of event and item carries
// payloads, with windows, blocks, a request and an answer.
import { sha256 } from '../../src/lib/sha256.ts'
import type { NewEvent, Usage } from '../../src/protocol/event.ts'
import { newId } from '../../src/protocol/ids.ts'
import type { Item, LongText } from '../../src/protocol/item.ts'
import { previewChars } from '../../src/protocol/item.ts'
import type { Store } from '../../src/server/store/types.ts'
import { WrittenThread } from '../setup/written-thread.ts'
import type { Payload } from './corpus.ts'

/** What files and names are made of: one line, not empty. */
export const oneLine = (text: string): string =>
  text
    .replaceAll('\u0000', '\ufffd')
    .replaceAll(/[\r\n]+/g, ' ')
    .slice(0, 400)
    .toWellFormed() || 'empty'

const usage: Usage = { input: 4_000, cachedInput: 3_000, cacheWrite: 0, output: 200, reasoning: 100 }

const fileOf = (text: string) => ({ path: oneLine(text), additions: 1, deletions: 1 })

export const groupsOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))

export class HostileThread extends WrittenThread {
  constructor(store: Store, leaseOwner: string, ownerId: string) {
    super({ store, leaseOwner, ownerId, model: 'hostile', maxOutputTokens: 1_000 })
    this.context = { contextTokens: 4_000, contextLimit: 200_000 }
  }

  long(text: string): LongText {
    const whole = text.replaceAll('\u0000', '\ufffd').toWellFormed()
    return whole.length <= previewChars
      ? { text: whole }
      : { text: whole.slice(0, previewChars).toWellFormed(), blob: this.blob(whole), chars: whole.length }
  }

  override event(type: NewEvent['type'], body: object, about?: { stepId?: string; itemId?: string }): void {
    this.at += 250
    super.event(type, body, about)
  }

  item(item: Record<string, unknown> & { type: Item['type'] }, stepId?: string): string {
    const id = newId('itm')
    this.event('item.completed', { item: { id, ...item } }, { itemId: id, ...(stepId ? { stepId } : {}) })
    return id
  }

  /** A new window whose hint, focus and rules carry the payloads; of all but the first the old one is closed. */
  window(payloads: readonly Payload[]): void {
    const before = this.windowId
    const index = this.counts.windows
    if (index > 0) this.event('window.closed', { index: index - 1, reason: 'asked', tokens: 4_000 })
    this.nextWindow()
    for (const { name, text } of payloads)
      this.block(
        {
          kind: 'tool',
          name: oneLine(text),
          description: text,
          parameters: { type: 'object', description: name, properties: { [oneLine(text)]: { const: text } } },
        },
        'window_start',
      )
    const instructions = payloads.map(({ text }) => text).join('\n\n') || 'none'
    this.block({ kind: 'instructions', text: instructions }, 'window_start')
    for (const { text } of payloads)
      this.block(
        { kind: 'developer', parts: [{ type: 'text', text }] },
        oneLine(text).slice(0, 100),
        null,
        'world:rules',
      )
    const body = {
      index,
      reason: index === 0 ? 'first_turn' : 'asked',
      blocks: this.wire.length,
      tokens: 4_000,
      strategy: 'windows',
      limitTokens: 200_000,
      hint: this.long(payloads.map(({ text }) => text).join('\n')),
      focus: payloads.map(({ text }) => oneLine(text).slice(0, 200)).join(' '),
      rules: payloads.map(({ text }) => ({ path: oneLine(text), hash: sha256(text) })),
      ...(index === 0 ? {} : { fromWindowId: before, left: { blocks: 1, items: 1, tokens: 9, itemIds: [] } }),
    }
    this.event('window.opened', body)
    if (index > 0)
      this.item({
        type: 'hand_over',
        fromWindowId: before,
        toWindowId: this.windowId,
        reason: 'asked',
        index,
      })
  }

  call(stepId: string, tool: string, args: string | LongText, state: Record<string, unknown>): void {
    const callId = `call_${this.seq}`
    const given = typeof args === 'string' ? this.long(args) : args
    const base = { type: 'tool_call' as const, callId, tool, arguments: given }
    const times = { startedAt: this.at, endedAt: this.at + 200 }
    this.item({ ...base, state: { status: 'succeeded', ...times, ...state } }, stepId)
  }

  /** `output`: the stored bytes that it printed, else it prints its own text. */
  command(stepId: string, text: string, output?: { blob: string; bytes: number }): void {
    const id = newId('itm')
    const commandId = id.replace(/^itm_/, 'cmd_')
    const about = { stepId, itemId: id }
    const outputBlob = output?.blob ?? this.blob(text.toWellFormed())
    const command = text.replaceAll('\u0000', '\ufffd').toWellFormed().slice(0, 3_000)
    const times = { startedAt: this.at, endedAt: this.at + 200 }
    const ended = { exitCode: 0, bytes: output?.bytes ?? Buffer.byteLength(text), outputBlob }
    this.event(
      'command.started',
      { commandId, itemId: id, command, mode: 'workspace-write', tty: false },
      about,
    )
    this.event('command.exited', { commandId, itemId: id, status: 'exited', signal: null, ...ended }, about)
    const detail = { type: 'command', commandId, command, running: false, cwd: oneLine(text), ...ended }
    const state = { status: 'succeeded', ...times, output: this.long(text), detail }
    const item = {
      id,
      type: 'tool_call',
      callId: `call_${this.seq}`,
      tool: 'exec_command',
      arguments: this.long(JSON.stringify({ cmd: command })),
      state,
    }
    this.event('item.completed', { item }, about)
  }

  #end(stepId: string, answer: string, retries: number, stopReason: string): void {
    const times = { costMicros: 1_000, firstTokenMs: 100, totalMs: 900, retries }
    const figures = { toolCalls: 1, contextTokens: 4_200, contextLimit: 200_000, estimatedTokens: 4_000 }
    this.event('step.completed', { usage, ...times, stopReason, ...figures }, { stepId })
    this.held.stepEnds.push({
      stepId,
      status: 'completed',
      usage,
      ...times,
      stopReason,
      providerRequestId: stopReason,
      rawResponseHash: this.blob(answer),
    })
  }

  /** Everything that one step can hold, once for each payload, and the request that led to it. */
  step(payloads: readonly Payload[]): void {
    for (const { text } of payloads) this.block({ kind: 'user', parts: [{ type: 'text', text }] }, 'message')
    const stepId = this.beginStep(0, 4_000)
    const said = (text: string) => ({
      code: 'tool_failed',
      message: text.slice(0, 2_000),
      next: text.slice(0, 500),
    })
    const wellFormed = (text: string) => text.replaceAll('\u0000', '\ufffd').toWellFormed()
    for (const payload of payloads) {
      const text = wellFormed(payload.text)
      const line = oneLine(text)
      this.item({ type: 'agent_message', phase: 'commentary', text: this.long(text) }, stepId)
      this.call(stepId, line, JSON.stringify({ [line]: text, list: [text] }), {
        status: 'failed',
        error: said(text),
        output: this.long(text),
      })
      this.call(stepId, 'read_file', '{}', {
        output: { text: '' },
        detail: { type: 'read', path: line, lines: 1 },
      })
      this.item({ type: 'notice', level: 'warning', kind: line.slice(0, 60), text })
      this.event('egress.denied', { host: line, port: 443, rule: line })
      this.event('step.retried', { error: said(text), attempt: 1, waitMs: 1, nextAt: this.at }, { stepId })
    }
    // What is costly to draw holds several payloads; sequences for a terminal would wipe each other out.
    for (const together of groupsOf(payloads, 5)) {
      this.item({ type: 'reasoning', text: this.long(together.map(({ text }) => text).join('\n\n')) }, stepId)
      if (together.some(({ name }) => name.startsWith('terminal')))
        for (const { text } of together) this.command(stepId, text)
      else this.command(stepId, together.map(({ text }) => text).join('\n'))
      const lines = together.flatMap(({ text }) =>
        wellFormed(text)
          .split('\n')
          .map((each) => each.slice(0, 100)),
      )
      const patch = [
        ...together.map(({ text }) => `*** Update File: ${oneLine(text).slice(0, 110)}`),
        '@@',
        ...lines.slice(0, 12).map((each) => `-${each}`),
        ...lines.slice(0, 12).map((each) => `+${each} changed`),
      ]
      const detail = {
        type: 'patch',
        files: together.map(({ text }) => ({ ...fileOf(text), change: 'modified' })),
      }
      const given = ['*** Begin Patch', ...patch, '*** End Patch'].join('\n')
      this.call(stepId, 'apply_patch', { text: given }, { output: { text: '' }, detail })
    }
    const files = payloads.map(({ text }) => fileOf(text))
    const entries = payloads.map(({ text }, at) => ({
      text: wellFormed(text).slice(0, 2_000),
      status: at === 0 ? 'in_progress' : 'pending',
    }))
    this.item({ type: 'plan', entries, explanation: entries[0]?.text ?? '' }, stepId)
    for (let from = 0; from < payloads.length; from += 10)
      this.item({
        type: 'question',
        questions: payloads.slice(from, from + 10).map(({ id, text }) => ({
          id: `q${id}`,
          header: oneLine(text).slice(0, 100),
          text: wellFormed(text).slice(0, 4_000),
          options: [{ label: oneLine(text).slice(0, 200), description: wellFormed(text).slice(0, 1_000) }],
        })),
        ...(from === 0 ? {} : { withdrawn: true }),
        ...(from === 0
          ? { answers: Object.fromEntries(payloads.slice(0, 10).map(({ id, text }) => [`q${id}`, [text]])) }
          : {}),
      })
    const tree = sha256(`tree ${this.seq}`).slice(0, 40)
    const changed = files.map((file) => ({ ...file, change: 'modified', binary: false }))
    this.event(
      'checkpoint.created',
      {
        checkpointId: newId('chk'),
        tree,
        previousTree: null,
        baseTree: sha256('base').slice(0, 40),
        files: changed,
        fileCount: files.length,
        additions: files.length,
        deletions: files.length,
        durationMs: 9,
        leftOut: payloads.slice(0, 20).map(({ text }) => ({ path: oneLine(text), why: oneLine(text) })),
      },
      { stepId },
    )
    const answer = payloads
      .map(({ text }) => `data: ${JSON.stringify({ type: text, delta: text })}\n\n`)
      .join('')
    this.#end(stepId, answer, payloads.length, oneLine(payloads[0]?.text ?? '').slice(0, 100))
  }

  /** A turn of one step with a request of one block; `fill` says what was done in it. */
  async bareTurn(fill: (stepId: string) => Promise<void>): Promise<void> {
    this.counts.turns += 1
    this.turnId = newId('trn')
    this.event('turn.started', {
      model: { providerId: newId('prv'), model: this.frozen.model },
      modelLabel: 'Large',
    })
    this.window([])
    const stepId = this.beginStep(0, 4_000)
    await fill(stepId)
    this.#end(stepId, 'data: {}\n\n', 0, 'end')
    this.item({ type: 'agent_message', phase: 'final', text: { text: 'This is the end of it.' } })
    this.event('turn.completed', { usage, costMicros: 1_000, durationMs: 9_000, steps: 1 })
    this.turnId = undefined
  }

  turn(payloads: readonly Payload[]): void {
    this.counts.turns += 1
    this.turnId = newId('trn')
    const [first] = payloads
    const model = { providerId: newId('prv'), model: this.frozen.model }
    this.event('turn.started', { model, modelLabel: payloads.map(({ text }) => oneLine(text)).join(' ') })
    const content = payloads.map(({ text }) => ({
      type: 'text',
      text: text.replaceAll('\u0000', '\ufffd').toWellFormed(),
    }))
    const named = payloads.slice(0, 8).map(({ text }) => ({
      type: 'file',
      blob: this.blob(text.toWellFormed()),
      name: oneLine(text).slice(0, 255),
      mediaType: 'text/html',
      bytes: Buffer.byteLength(text),
    }))
    this.item({ type: 'user_message', actorId: this.ownerId, content: [...content, ...named], via: 'start' })
    this.window(payloads)
    this.step(payloads)
    this.item({
      type: 'agent_message',
      phase: 'final',
      text: this.long(payloads.map(({ text }) => text).join('\n\n')),
    })
    const end = { usage, costMicros: 1_000, durationMs: 9_000, steps: 1 }
    const message = payloads
      .map(({ text }) => oneLine(text).slice(0, 90))
      .join(' ')
      .slice(0, 2_000)
    if (this.counts.turns % 2 === 0) this.event('turn.completed', end)
    else
      this.event('turn.failed', {
        ...end,
        error: { code: 'internal', message, next: oneLine(first?.text ?? '') },
      })
    this.turnId = undefined
  }
}
