/** history_read_item: an item's whole text, in parts. */
import { z } from 'zod'
import { pageInput } from './history-filter.ts'
import { entryLine } from './looked-up.ts'
import { proseBeside } from './prose.ts'
import { defineTool } from './registry.ts'

const Input = z.object({
  item_id: z.string().min(1).max(200).describe('As a list or a search gave it.'),
  window_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Not needed; given, it must be the window of the item.'),
  agent_name: pageInput.agent_name,
  offset_chars: z
    .int()
    .min(-1_000_000)
    .max(100_000_000)
    .optional()
    .describe('Where to begin; negative counts from the end. Default: 0.'),
  limit_chars: z.int().min(1).max(20_000).optional().describe('Default: 8000.'),
})
type Input = z.infer<typeof Input>

export const historyReadItem = defineTool<Input, Input>({
  name: 'history_read_item',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: true,
  repeatable: true,
  prepare: async (input) => ({ prepared: input }),
  async invoke(input, { history }) {
    const part = await history.read({
      itemId: input.item_id,
      offsetChars: input.offset_chars ?? 0,
      limitChars: input.limit_chars ?? 8_000,
      ...(input.window_id === undefined ? {} : { windowId: input.window_id }),
      ...(input.agent_name === undefined ? {} : { agentPath: input.agent_name }),
    })
    const end = part.offset + part.text.length
    const of = part.totalChars === null ? '' : ` of ${part.totalChars}`
    const rest = part.nextOffset === null ? '' : `\n[It goes on; read from offset_chars ${part.nextOffset}.]`
    const text = `${entryLine(part)} · characters ${part.offset} to ${end}${of}\n${part.text}${rest}`
    return { ok: true, text, forModel: text, detail: { type: 'read', path: part.itemId } }
  },
})
