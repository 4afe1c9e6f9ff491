/** get_context_remaining: how much of the window is left. */
import { z } from 'zod'
import { windowNumber } from '../../protocol/item.ts'
import { proseBeside } from './prose.ts'
import { defineTool } from './registry.ts'

const Input = z.object({})

export const getContextRemaining = defineTool<z.infer<typeof Input>, null>({
  name: 'get_context_remaining',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: true,
  repeatable: true,
  fromText: () => ({}),
  prepare: async () => ({ prepared: null }),
  async invoke(_prepared, { window }) {
    const { index, usedTokens, remainingTokens } = window.budget()
    return {
      ok: true,
      text: `You have about ${remainingTokens} tokens left in this context window (window ${windowNumber(index)}; ${usedTokens} are used).`,
      detail: { type: 'other' },
    }
  },
})
