/**
 * Our own file: everything is taken as it stands, under a mask that makes its ids new ones here, so that writing the
 * thread out again gives the same bytes. Nothing in the file is believed: each line is held against its shape and each
 * blob against its name.
 */

import { createHash } from 'node:crypto'
import { sha256 } from '../../../../lib/sha256.ts'
import { parseEvent, type ThreadEvent } from '../../../../protocol/event.ts'
import { maskIds, newIdMask, RolloutFileLine } from '../../../../protocol/rollout-file.ts'
import type { WindowFrozen } from '../../../context/types.ts'
import { createRollout } from '../rollout.ts'
import type { FileRecord, Format, Piece, Reader, ReaderContext, RolloutHead } from '../types.ts'
import { asObject, asText, type Json } from '../values.ts'

/** Bytes of one event; ours have at most 8 KB, and a little more was let through. */
const maxEventBytes = 65_536
const wires = new Set(['openai-responses', 'openai-chat', 'anthropic-messages', 'google-genai'])

type Line = ReturnType<typeof RolloutFileLine.parse>
type Of<T extends Line['type']> = Extract<Line, { type: T }>

const read = (context: ReaderContext): Reader => {
  const { report } = context
  const mask = newIdMask()
  const digest = createHash('sha256')
  let head: RolloutHead | null = null
  let seq = 0
  let windowId = ''
  let lines = 0
  let isEnded = false
  let blob: { hash: string; next: number; digest: ReturnType<typeof createHash> } | null = null

  const push = (piece: Piece): void => {
    if (head !== null) context.out.push({ head, piece })
  }

  const begin = (title: string, threadId: string | null): RolloutHead => {
    report.value.rollouts += 1
    report.value.program ??= 'Baton'
    head = {
      threadId: threadId ?? context.newId('thr'),
      windowId: '',
      title: title.slice(0, 300) || context.fileName,
      program: 'Baton',
      firstAt: null,
      idMask: mask,
      isWhole: true,
    }
    return head
  }

  const keep = (line: number, kind: string, raw: Uint8Array, what: string): void => {
    report.problem(line, what)
    if (head === null || seq === 0) return
    seq += 1
    const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('utf8')
    const hash = sha256(raw)
    push({ type: 'blob', hash, bytes: raw })
    push({
      type: 'whole',
      event: {
        type: 'record.kept',
        windowId: head.windowId,
        actorId: 'system',
        at: head.firstAt ?? context.importedAt,
        body: {
          line,
          kind: kind.slice(0, 200),
          why: 'unreadable',
          raw: { text: text.slice(0, 500).toWellFormed(), blob: hash, chars: text.length },
        },
      } as unknown as ThreadEvent,
    })
  }

  const count = (event: ThreadEvent): void => {
    if (event.type === 'turn.started') report.model(event.body.modelLabel)
    if (event.type === 'step.completed' || event.type === 'step.cut' || event.type === 'step.failed')
      report.usage(event.body.usage)
    if (event.type === 'item.started' && event.body.item.type === 'tool_call') return
    if (event.type !== 'item.completed') return
    const { item } = event.body
    if (item.type === 'user_message') report.message('user')
    else if (item.type === 'agent_message') report.message('agent')
    else if (item.type === 'reasoning') report.message('reasoning')
    else if (item.type === 'tool_call') {
      report.call(item.tool)
      report.message('tool')
    } else report.message('system')
  }

  const event = (value: Json, record: FileRecord): void => {
    const thread = head ?? begin('', null)
    const given = asObject(maskIds(value.event, mask))
    const whole = { ...given, threadId: thread.threadId }
    let parsed: ThreadEvent
    try {
      parsed = parseEvent(whole)
    } catch {
      keep(
        record.line,
        asText(given.type),
        record.raw,
        `an event of type ${asText(given.type)} that is not understood`,
      )
      return
    }
    if (record.raw.byteLength > maxEventBytes) {
      keep(record.line, parsed.type, record.raw, 'an event that is larger than events are')
      return
    }
    if (seq === 0 && parsed.type !== 'thread.created')
      report.problem(record.line, 'the log does not begin with its beginning: one is put in front')
    if (parsed.seq !== seq + 1)
      report.problem(record.line, `event ${parsed.seq} follows event ${seq}: it is numbered anew`)
    seq += 1
    if (thread.firstAt === null) {
      thread.firstAt = parsed.at
      thread.windowId = parsed.windowId
    }
    count(parsed)
    push({ type: 'whole', event: whole as unknown as ThreadEvent })
  }

  const block = (line: Of<'block'>, record: FileRecord): void => {
    const wire = line.wire === null ? null : Buffer.from(line.wire, line.base64 === true ? 'base64' : 'utf8')
    if (windowId === '' || (wire !== null && sha256(wire) !== line.wireHash)) {
      report.problem(record.line, 'a block whose bytes are not those that its name says')
      return
    }
    const { idx, hash, kind, itemId, callId, tokens, reason } = line
    const row = { windowId, idx, hash, kind, itemId, callId, tokens, reason }
    push({
      type: 'block',
      block: wire === null ? { ...row, wire: new Uint8Array(), wireHash: line.wireHash } : { ...row, wire },
    })
  }

  const step = (line: Of<'step'>): void => {
    const { type: _type, end, ...row } = line
    push({ type: 'step', step: { ...row, windowId } })
    if (end !== null) push({ type: 'stepEnd', end: { ...end, stepId: line.stepId } })
  }

  const part = (line: Of<'blob'>, record: FileRecord): void => {
    const bytes = Buffer.from(line.data, 'base64')
    if (line.parts === 1) {
      if (sha256(bytes) === line.hash) push({ type: 'blob', hash: line.hash, bytes })
      else report.problem(record.line, 'a blob whose bytes are not those that its name says')
      return
    }
    if (line.part === 0) blob = { hash: line.hash, next: 0, digest: createHash('sha256') }
    if (blob === null || blob.hash !== line.hash || blob.next !== line.part) {
      if (blob !== null) push({ type: 'part', hash: blob.hash, bytes: null, isLast: true })
      blob = null
      report.problem(record.line, 'a piece of a blob without the piece before it')
      return
    }
    blob.next += 1
    blob.digest.update(bytes)
    const isLast = line.part + 1 === line.parts
    const isTrue = !isLast || blob.digest.digest('hex') === line.hash
    if (!isTrue) report.problem(record.line, 'a blob whose bytes are not those that its name says')
    push({ type: 'part', hash: line.hash, bytes: isTrue ? bytes : null, isLast })
    if (isLast) blob = null
  }

  const frozenOf = (frozen: Record<string, unknown>): WindowFrozen | null =>
    typeof frozen.wire === 'string' && wires.has(frozen.wire) && typeof frozen.family === 'string'
      ? (frozen as unknown as WindowFrozen)
      : null

  const line = (value: Line, record: FileRecord): void => {
    switch (value.type) {
      case 'header':
        if (head !== null) {
          report.problem(record.line, 'a second header')
          return
        }
        begin(value.thread.title, value.thread.id)
        if (!value.lossless)
          report.problem(record.line, 'a redacted file: it is not the same rollout any more')
        return
      case 'window': {
        const frozen = frozenOf(value.frozen)
        if (frozen === null) {
          report.problem(record.line, 'a window that is not understood')
          windowId = ''
          return
        }
        windowId = value.windowId
        push({ type: 'window', window: { windowId, index: value.index, frozen } })
        return
      }
      case 'block':
        block(value, record)
        return
      case 'step':
        if (windowId !== '') step(value)
        return
      case 'note':
        push({ type: 'note', note: value })
        return
      case 'blob':
        part(value, record)
        return
      default:
    }
  }

  return {
    take: (record) => {
      const value = asObject(record.value)
      const type = asText(value.type)
      report.record(type || '(none)')
      if (type === 'end') {
        isEnded = true
        if (value.sha256 !== digest.digest('hex') || value.lines !== lines)
          report.problem(
            record.line,
            'the file was changed after it was written: its checksum is another one',
          )
        return
      }
      if (!isEnded) digest.update(record.raw).update('\n')
      lines += 1
      if (type === 'event') {
        event(value, record)
        return
      }
      const shaped = RolloutFileLine.safeParse(type === 'blob' ? value : maskIds(value, mask))
      if (shaped.success) line(shaped.data, record)
      else {
        report.unknown(type || '(none)')
        keep(record.line, type, record.raw, `a line of type ${type || '(none)'} that is not understood`)
      }
    },
    keep: (record) => {
      lines += 1
      if (record.blob === undefined) keep(record.line, record.why, record.raw, 'kept as it is')
    },
    end: () => {
      if (!isEnded) report.problem(report.value.lines, 'the file ends before its last line: it was cut')
      if (blob !== null)
        push({ type: 'part', hash: (blob as { hash: string }).hash, bytes: null, isLast: true })
      if (head === null || seq === 0) {
        const other = createRollout(context, 'Baton')
        other.notice('warning', 'The file has no events.')
        other.end()
        return
      }
      context.out.push({ head, piece: { type: 'end' } })
    },
  }
}

export const baton: Format = { name: 'baton', read }
