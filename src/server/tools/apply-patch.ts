/** apply_patch: edits files in the workspace by a patch text. */
import { z } from 'zod'
import { proseBeside } from './prose.ts'
import { needsApproval } from './refusal.ts'
import { defineTool } from './registry.ts'
import { applyWorkspacePatch, patchRefusal } from './workspace-patch.ts'

const Input = z.object({
  input: z.string().min(1).max(5_000_000).describe('The whole patch, from *** Begin Patch to *** End Patch.'),
})
type Input = z.infer<typeof Input>

export const applyPatchTool = defineTool<Input, Input>({
  name: 'apply_patch',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: false,
  // Some models write the patch itself where the JSON belongs.
  fromText: (text) => (/^\s*\*\*\* Begin Patch/.test(text) ? { input: text } : null),
  validate: ({ input }, { cwd, settings }) => patchRefusal(input, cwd, settings),
  prepare: async (input, context) =>
    (await needsApproval(context, `Change files:\n${input.input}`)) ?? { prepared: input },
  invoke: ({ input }, context) => applyWorkspacePatch(input, context.cwd, context),
})
