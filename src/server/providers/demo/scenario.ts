// A scripted model's script: rules over what a request shows, and what is answered. Plain data wherever possible, so
// that a scenario fits in a small file; a function where the answer depends on what tools gave back.
import type { WireKind } from '../types.ts'

/** A request as a script sees it, whatever its wire. */
export type RequestView = {
  wire: WireKind
  /** As asked for. `arg` is what follows the first colon of it: `rounds:500` → `500`. */
  model: string
  arg: string
  tools: { name: string; parameters: Record<string, unknown> }[]
  /** Texts of people, oldest first; context that the harness adds in tags is left out. */
  users: string[]
  lastUser: string
  /** Answers of the model since the last text of a person. */
  step: number
  /** Calls since the last text of a person, in order, with what came back (null: nothing yet). */
  calls: { callId: string; name: string; argumentsText: string; result: string | null }[]
  /** How often these exact bytes came before: above 0 is a retry. */
  attempt: number
  /** Bytes of the body. */
  size: number
}

type Call = { name: string; arguments: Record<string, unknown> | string; callId?: string }

/** One answer. Parts come in the order reasoning, text, calls, unless `parts` says otherwise. */
export type Reply = {
  reasoning?: string
  text?: string
  calls?: Call[]
  parts?: ({ reasoning: string } | { text: string } | { call: Call })[]
  /** The vendor's word is derived from it and the wire. */
  stop?: 'max_output' | 'refused' | 'stop_sequence'
  usage?: { input?: number; cached?: number; cacheWrite?: number; output?: number; reasoning?: number }
  /** Before the answer's head. */
  delayMs?: number
  /** Between two events; without it the whole answer is one write. */
  pauseMs?: number
  /** Characters of one delta; 24 unless told. */
  deltaChars?: number
  /** Bytes of one write, to cut events and characters apart. */
  writeBytes?: number
  /** All parts are sent and the stream stays open. */
  hang?: boolean
  /** The socket is destroyed: before the head, in the middle of the last part, or after all parts but before the end. */
  cut?: 'head' | 'part' | 'end'
  /** An HTTP error instead of a stream. A string is sent as HTML when it begins with `<`. */
  error?: { status: number; body?: unknown; headers?: Record<string, string> }
  /** After all parts, the stream says this and ends. */
  streamError?: { type: string; message: string }
  /** These bytes instead of a stream of the wire, with status 200. */
  raw?: string
}

export type Rule = {
  when?: {
    /** Regular expression over the last text of a person. */
    user?: string
    /** Regular expression over the newest result. */
    result?: string
    step?: number
    attempt?: number
  }
  /** The rule serves so many requests of one server, then never again. */
  times?: number
  reply: Reply | ((view: RequestView) => Reply)
}

/** Served as the model of its name (also with an argument: `name:argument`). The first rule that fits answers. */
export type Scenario = { name: string; rules: Rule[] }

/** Null when no rule fits. `used` counts how often each rule served; it is changed here. */
export function chooseReply(scenario: Scenario, view: RequestView, used: Map<Rule, number>): Reply | null {
  for (const rule of scenario.rules) {
    const served = used.get(rule) ?? 0
    if (rule.times !== undefined && served >= rule.times) continue
    if (!fits(rule, view)) continue
    used.set(rule, served + 1)
    return typeof rule.reply === 'function' ? rule.reply(view) : rule.reply
  }
  return null
}

function fits({ when }: Rule, view: RequestView): boolean {
  if (when === undefined) return true
  if (when.step !== undefined && when.step !== view.step) return false
  if (when.attempt !== undefined && when.attempt !== view.attempt) return false
  if (when.user !== undefined && !new RegExp(when.user, 'i').test(view.lastUser)) return false
  const newest = view.calls.findLast((call) => call.result !== null)?.result ?? ''
  return when.result === undefined || new RegExp(when.result, 'i').test(newest)
}

export type Part =
  | { type: 'reasoning'; text: string }
  | { type: 'text'; text: string }
  | { type: 'call'; name: string; argumentsText: string; callId?: string }

export function partsOf(reply: Reply): Part[] {
  const call = ({ name, arguments: given, callId }: Call): Part => ({
    type: 'call',
    name,
    argumentsText: typeof given === 'string' ? given : JSON.stringify(given),
    ...(callId === undefined ? {} : { callId }),
  })
  if (reply.parts !== undefined)
    return reply.parts.map((part) => {
      if ('call' in part) return call(part.call)
      return 'text' in part ? { type: 'text', text: part.text } : { type: 'reasoning', text: part.reasoning }
    })
  return [
    ...(reply.reasoning === undefined ? [] : [{ type: 'reasoning' as const, text: reply.reasoning }]),
    ...(reply.text === undefined ? [] : [{ type: 'text' as const, text: reply.text }]),
    ...(reply.calls ?? []).map(call),
  ]
}
