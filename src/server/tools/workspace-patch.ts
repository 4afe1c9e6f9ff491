/** Applies a patch in a thread's workspace: shared by the tool and by a shell command that is nothing but a patch. */
import { workspacePath } from '../../protocol/places.ts'
import { pathsOutside } from './patch/apply.ts'
import { parsePatch } from './patch/parse.ts'
import { PatchError } from './patch/types.ts'
import { refusal } from './refusal.ts'
import type { ToolAnswer, ToolContext, ToolRefusal } from './types.ts'

/** What speaks against a patch before any file is looked at. */
export const patchRefusal = (
  patch: string,
  cwd: string,
  settings: ToolContext['settings'],
): { refused: ToolRefusal } | null => {
  if (settings.permission === 'read-only')
    return refusal(
      'tool_refused',
      'This thread is read-only: files cannot be changed.',
      'Describe the change instead, or ask for write permission.',
    )
  try {
    const hunks = parsePatch(patch)
    if (hunks.length === 0)
      return refusal('patch_rejected', 'The patch changes no file.', 'Put at least one file section in it.')
    const outside = pathsOutside(hunks, cwd, [workspacePath])
    if (outside.length === 0) return null
    return refusal(
      'tool_refused',
      `The patch was refused as a whole: ${outside.slice(0, 5).join(', ')} is outside of ${workspacePath}.`,
      `Use paths inside of ${workspacePath}.`,
    )
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    return refusal('patch_rejected', error.message, 'Correct the patch and send it again.')
  }
}

export const applyWorkspacePatch = async (
  patch: string,
  cwd: string,
  context: Pick<ToolContext, 'sandbox' | 'settings' | 'signal'>,
): Promise<ToolAnswer> => {
  const { permission } = context.settings
  const result = await context.sandbox.patch(patch, { cwd, mode: permission, signal: context.signal })
  const detail = { type: 'patch', files: result.files } as const
  if (result.ok) return { ok: true, text: result.output, detail }
  const kept = result.files.map((file) => file.movedTo ?? file.path).join(', ')
  const text =
    kept === '' ? result.output : `${result.output.trimEnd()}\nAlready changed before that: ${kept}\n`
  return {
    ok: false,
    text,
    detail,
    error: {
      code: 'patch_rejected',
      message: result.output.trim().slice(0, 2_000),
      next: 'Read the file again and make the patch from what is there.',
    },
  }
}
