/**
 * Tools by name, and the frozen set that one window advertises. The schemas' bytes are made once here: the same tools
 * give the same bytes, whatever the process.
 */
import { z } from 'zod'
import type { Tool, ToolDefinition, ToolSet, ToolSpec } from './types.ts'

/** Closes a definition over its own input type. */
export const defineTool = <I, P>(definition: ToolDefinition<I, P>): Tool => ({
  name: definition.name,
  description: definition.description,
  parallelSafe: definition.parallelSafe,
  input: definition.input,
  repeatable: definition.repeatable ?? false,
  fromText: definition.fromText ?? null,
  check: (input, context) => definition.validate?.(input as I, context) ?? null,
  run: async (input, context) => {
    const stage = await definition.prepare(input as I, context)
    if ('refused' in stage) return stage
    return { answer: await definition.invoke(stage.prepared, context) }
  },
})

const specOf = (tool: Tool): ToolSpec => {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(tool.input, {
    io: 'input',
    unrepresentable: 'throw',
  })
  return { name: tool.name, description: tool.description, parameters }
}

const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}

/**
 * The set in the given order, which is the order the model sees.
 * @throws Error when two tools have one name: a defect of whoever composed the set
 */
export const toolSet = (tools: readonly Tool[]): ToolSet => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  if (byName.size !== tools.length) throw new Error('two tools have the same name')
  return Object.freeze({
    specs: deepFreeze(tools.map(specOf)),
    find: (name: string): Tool | null => byName.get(name) ?? null,
  })
}
