/**
 * Requests that a file tells whole, one after the other: what each has beyond the one before, or that it is another
 * conversation. Holds what was not told yet.
 */
import { type InputBlock, inputBlock } from '../input.ts'
import type { Rollout } from '../rollout.ts'
import { asText, type Json } from '../values.ts'

/** Bytes of requests that wait to be told. */
const maxWaiting = 64 * 1_024 ** 2

export type Query = { isNew: boolean; blocks: InputBlock[]; envelope: string | undefined }

const kinds: Record<string, string> = {
  system: 'instructions',
  developer: 'developer',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool_result',
  function: 'tool_result',
}

/** A message in the words of the chat wire, as a block. */
export const messageBlock = (message: Json): InputBlock =>
  inputBlock(kinds[asText(message.role)] ?? 'other', JSON.stringify(message), {
    reason: 'recorded',
    ...(typeof message.tool_call_id === 'string' ? { callId: message.tool_call_id.slice(0, 200) } : {}),
  })

export const createQueries = () => {
  let before: string[] = []
  let waiting = 0
  return {
    /** Null: too much waits already. */
    next: (blocks: readonly InputBlock[], envelope?: string): Query | null => {
      const hashes = blocks.map(({ slot, hash }) => `${slot} ${hash}`)
      const goesOn =
        before.length > 0 && before.length <= hashes.length && before.every((hash, at) => hash === hashes[at])
      const fresh = goesOn ? blocks.slice(before.length) : [...blocks]
      before = hashes
      waiting += fresh.reduce((sum, { bytes }) => sum + bytes.length, 0)
      return waiting > maxWaiting ? null : { isNew: !goesOn, blocks: fresh, envelope }
    },
    /** The request leaves: its window holds what it was. */
    tell: (rollout: Rollout, { isNew, blocks, envelope }: Query, isFirst: boolean): void => {
      waiting -= blocks.reduce((sum, { bytes }) => sum + bytes.length, 0)
      if (isNew)
        rollout.openWindow({
          reason: isFirst ? 'first_turn' : 'results_cut',
          wire: 'openai-chat',
          blocks,
          ...(envelope === undefined ? {} : { envelope }),
        })
      else for (const block of blocks) rollout.addInput(block)
    },
  }
}
