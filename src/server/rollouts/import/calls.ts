/**
 * Calls of tools and their results as a file tells them, in whatever order: a result may come late, early, twice or
 * never. Holds the calls that are open, and results whose call has not come yet.
 */
import type { Item, ToolCall, ToolCallState, ToolDetail } from '../../../protocol/item.ts'
import type { Report } from './report.ts'
import { type KeepBlob, longText } from './text.ts'

export type CallEnd = {
  output: string
  isError?: boolean
  isInterrupted?: boolean
  detail?: ToolDetail
  /** The whole text when the model was given less. */
  full?: string
  startedAt?: number
}

type Open = { item: ToolCall; at: number; stepId: string | undefined; line: number; more: Partial<CallEnd> }
type Early = { end: CallEnd; at: number; line: number }

/** Calls that may be open at once, and results that may wait; of more the oldest are closed. */
const maxOpen = 10_000
/** Ids of finished calls, so that a second result is known as one. */
const maxDone = 50_000

export type CallsDeps = {
  emit(item: Item, type: 'item.started' | 'item.completed', at: number, stepId: string | undefined): void
  keep: KeepBlob
  report: Report
  newId(prefix: 'itm' | 'cmd'): string
}

const none: ToolDetail = { type: 'other' }

export type Calls = ReturnType<typeof createCalls>

export const createCalls = ({ emit, keep, report, newId }: CallsDeps) => {
  const open = new Map<string, Open>()
  const early = new Map<string, Early>()
  const done = new Set<string>()

  const stateOf = (call: Open, end: CallEnd, at: number): ToolCallState => {
    const merged = { ...call.more, ...end }
    const output = longText(merged.output, keep)
    const startedAt = Math.min(merged.startedAt ?? call.at, at)
    const detail = merged.detail ?? call.more.detail ?? none
    const full =
      merged.full === undefined || merged.full === merged.output
        ? {}
        : { full: keep(Buffer.from(merged.full)) }
    if (merged.isInterrupted === true)
      return { status: 'interrupted', startedAt, endedAt: at, reason: 'interrupted', output, detail }
    if (merged.isError === true)
      return {
        status: 'failed',
        startedAt,
        endedAt: at,
        error: {
          code: 'tool_failed',
          message:
            merged.output.replace(/\s+/g, ' ').trim().slice(0, 300).toWellFormed() || 'The tool failed.',
          next: 'Look at its output.',
        },
        output,
        ...full,
        detail,
      }
    return { status: 'succeeded', startedAt, endedAt: at, output, ...full, detail }
  }

  const close = (callId: string, call: Open, end: CallEnd, at: number): string => {
    open.delete(callId)
    if (done.size >= maxDone) done.clear()
    done.add(callId)
    emit({ ...call.item, state: stateOf(call, end, at) }, 'item.completed', at, call.stepId)
    return call.item.id
  }

  const abandon = (callId: string, call: Open, at: number): void => {
    report.value.callsWithoutOutput += 1
    close(callId, call, { output: '', isInterrupted: true }, at)
  }

  return {
    open: () => open.size,

    start: (call: {
      callId: string
      tool: string
      args: string
      detail?: ToolDetail
      at: number
      stepId: string
      line: number
    }): string => {
      let { callId } = call
      if (callId === '') callId = `(none ${call.line})`
      if (open.has(callId) || done.has(callId)) {
        report.problem(call.line, `a second call has the id ${callId.slice(0, 100)}`)
        const before = open.get(callId)
        if (before) abandon(callId, before, call.at)
      }
      const item: ToolCall = {
        id: newId('itm'),
        type: 'tool_call',
        callId: callId.slice(0, 200),
        tool: call.tool.slice(0, 200),
        arguments: longText(call.args, keep),
        state: { status: 'running', startedAt: call.at, ...(call.detail ? { detail: call.detail } : {}) },
      }
      emit(item, 'item.started', call.at, call.stepId)
      const entry: Open = {
        item,
        at: call.at,
        stepId: call.stepId,
        line: call.line,
        more: call.detail ? { detail: call.detail } : {},
      }
      open.set(callId, entry)
      done.delete(callId)
      const waiting = early.get(callId)
      if (waiting) {
        early.delete(callId)
        report.value.outputsWithoutCall -= 1
        return close(callId, entry, waiting.end, Math.max(waiting.at, call.at))
      }
      if (open.size > maxOpen) {
        const [oldest] = open
        if (oldest) abandon(oldest[0], oldest[1], call.at)
      }
      return item.id
    },

    /** The item of the call, or null when none is known: the result then waits for it. */
    finish: (callId: string, end: CallEnd, at: number, line: number): string | null => {
      const call = open.get(callId)
      if (call) return close(callId, call, end, at)
      report.value.outputsWithoutCall += 1
      report.problem(
        line,
        done.has(callId)
          ? `a second result of the call ${callId.slice(0, 100)}`
          : `a result of the call ${callId.slice(0, 100)}, which has not been made`,
      )
      if (early.size < maxOpen)
        early.set(`${callId}${early.has(callId) ? `#${line}` : ''}`, { end, at, line })
      return null
    },

    /** What is known of a call beside its result. False when the call is not open. */
    detail: (callId: string, more: Partial<CallEnd>): boolean => {
      const call = open.get(callId)
      if (call) call.more = { ...call.more, ...more }
      return call !== undefined
    },

    command: (
      callId: string,
      figures: { exitCode?: number | null; bytes?: number; timedOut?: boolean },
      full?: string,
    ): boolean => {
      const call = open.get(callId)
      if (call === undefined) return false
      const detail = call.more.detail
      if (detail?.type === 'command') call.more.detail = { ...detail, ...figures }
      if (full !== undefined) call.more.full = full
      return true
    },

    /** Calls that the turn leaves open have no result: a result that comes later is one without a call. */
    endTurn: (at: number): void => {
      for (const [callId, call] of open) abandon(callId, call, at)
    },

    /** Results whose call never came are shown as calls that nobody saw being made. */
    end: (at: number): void => {
      for (const [callId, call] of open) abandon(callId, call, at)
      for (const [callId, { end, at: endedAt }] of early) {
        const item: ToolCall = {
          id: newId('itm'),
          type: 'tool_call',
          callId: callId.slice(0, 200),
          tool: 'unknown',
          arguments: { text: '' },
          state: { status: 'running', startedAt: endedAt },
        }
        const call: Open = { item, at: endedAt, stepId: undefined, line: 0, more: {} }
        emit({ ...item, state: stateOf(call, end, endedAt) }, 'item.completed', endedAt, undefined)
      }
      early.clear()
    },
  }
}
