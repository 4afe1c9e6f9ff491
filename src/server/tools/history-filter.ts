/** The arguments that the history tools share, and what the port makes of them. */
import { z } from 'zod'
import { historyRoles } from '../../protocol/history.ts'
import type { HistoryFilter } from './types.ts'

const Name = z.string().min(1).max(200)

export const pageInput = {
  agent_name: Name.optional().describe('Another agent of this thread, by its path. Default: yourself.'),
  recent_first: z.boolean().optional().describe('Default: true.'),
  cursor: z.string().max(200).optional().describe('From the answer before, to go on.'),
}

export const filterInput = {
  role: z.enum(historyRoles).optional().describe('Who it comes from; "tool" are calls with their results.'),
  tool_name: Name.optional().describe('Only calls of this tool.'),
  window_id: Name.optional().describe('Only this window, by its whole id.'),
  ...pageInput,
}

type Given = z.infer<z.ZodObject<typeof filterInput>>

export const filterOf = (input: Given, limit: number): HistoryFilter => ({
  limit,
  recentFirst: input.recent_first ?? true,
  ...(input.agent_name === undefined ? {} : { agentPath: input.agent_name }),
  ...(input.role === undefined ? {} : { role: input.role }),
  ...(input.tool_name === undefined ? {} : { tool: input.tool_name }),
  ...(input.window_id === undefined ? {} : { windowId: input.window_id }),
  ...(input.cursor === undefined ? {} : { cursor: input.cursor }),
})
