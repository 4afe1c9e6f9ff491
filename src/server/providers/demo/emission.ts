// What a reply becomes on the way to a wire.
import type { Part, Reply } from './scenario.ts'

/** `event` null: no event line. `data` is sent as JSON, a string as it is. */
export type SentEvent = { event: string | null; data: unknown }

export type Answer = {
  /** Number of the answer within its server, from 1. */
  number: number
  model: string
  parts: Part[]
  reply: Reply
  usage: { input: number; cached: number; cacheWrite: number; output: number; reasoning: number }
  deltaChars: number
}

/** Parts first, then what ends the stream; the two are apart so that a script can stop between them. */
export type Emission = { begin: SentEvent[]; parts: SentEvent[][]; end: SentEvent[]; failure: SentEvent[] }
