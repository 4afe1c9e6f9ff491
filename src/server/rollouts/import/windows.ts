/** The windows of one imported rollout, and what stands in the one that is open. Knows no turn. */
import { sha256 } from '../../../lib/sha256.ts'
import type { EventBody } from '../../../protocol/event.ts'
import type { Item, WindowReason } from '../../../protocol/item.ts'
import { type InputBlock, type InputWire, type WindowInput, windowInput } from './input.ts'
import type { Piece, ReaderContext } from './types.ts'

/** The family of a window that cannot be gone on with: the next turn opens a new one. */
const importedFamily = 'imported'

export type OpenWindow = {
  reason: WindowReason
  wire?: InputWire
  envelope?: string
  /** Absent: what the model was given is not known. */
  blocks?: readonly InputBlock[]
  /** It can be gone on with on the same wire, whatever the model is called. */
  goesOn?: boolean
}

type Deps = {
  newId: ReaderContext['newId']
  push(piece: Piece): void
  emit<T extends 'window.opened' | 'window.closed'>(
    type: T,
    body: EventBody<T>,
    more: { actorId: 'system' },
  ): void
  emitItem(item: Item): void
  model(): string
  first: string
}

export type Windows = ReturnType<typeof createWindows>

export const createWindows = ({ newId, push, emit, emitItem, model, first }: Deps) => {
  let windowId = first
  let index = -1
  let input: WindowInput | null = null
  let wire: InputWire = 'openai-responses'
  let tokens = 0
  let lastCount = 0

  const pushBlock = (block: InputBlock, idx: number): void => {
    const { kind, hash, bytes, itemId, callId, reason } = block
    push({
      type: 'block',
      block: { windowId, idx, kind, itemId, callId, hash, wire: bytes, tokens: block.tokens, reason },
    })
  }

  const envelopeOf = (): string => JSON.stringify({ model: model() })

  return {
    id: () => windowId,
    isOpen: () => index >= 0,
    input: () => input,

    open: (given: OpenWindow): void => {
      const { reason, goesOn = false, blocks = [] } = given
      const from = index < 0 ? null : windowId
      if (from !== null) {
        emit('window.closed', { index, reason, tokens }, { actorId: 'system' })
        windowId = newId('win')
      }
      index += 1
      wire = given.wire ?? wire
      input = given.blocks === undefined ? null : windowInput(wire, given.envelope ?? envelopeOf(), blocks)
      lastCount = 0
      tokens = blocks.reduce((sum, block) => sum + block.tokens, 0)
      push({
        type: 'window',
        window: {
          windowId,
          index,
          frozen: {
            wire,
            model: model(),
            family: goesOn ? model() : importedFamily,
            traits: {
              reasoning: goesOn ? 'payload' : 'none',
              reasoningOnEveryMessage: false,
              developerRole: 'developer',
              maxTokensField: 'max_completion_tokens',
              thinking: 'none',
              cacheKey: goesOn,
              images: true,
            },
            thinking: goesOn,
            ...(goesOn ? { imported: true as const } : {}),
          },
        },
      })
      blocks.forEach(pushBlock)
      emit(
        'window.opened',
        { index, reason, blocks: blocks.length, tokens, ...(from === null ? {} : { fromWindowId: from }) },
        { actorId: 'system' },
      )
      if (from === null) return
      emitItem({
        id: newId('itm'),
        type: 'hand_over',
        fromWindowId: from,
        toWindowId: windowId,
        reason,
        index,
      })
    },

    add: (block: InputBlock): boolean => {
      if (input === null) return false
      const idx = input.blocks.length
      if (!input.add(block)) {
        input = null
        return false
      }
      tokens += block.tokens
      pushBlock(block, idx)
      return true
    },

    /** What the request that leaves now is made of. */
    request: () => {
      const blockCount = input?.blocks.length ?? 0
      const newBlocks = Math.max(0, blockCount - lastCount)
      lastCount = blockCount
      return {
        blockCount,
        newBlocks,
        bodySha256: input?.bodySha256() ?? sha256(''),
        envelope: input?.envelope ?? envelopeOf(),
        estimatedTokens: input === null ? 0 : tokens,
      }
    },
  }
}
