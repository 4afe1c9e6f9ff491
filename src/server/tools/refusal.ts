/** Words for a call that is not carried out: the code, the fact, and what the model can do instead. */
import type { ErrorCode } from '../../protocol/error.ts'
import type { ToolContext, ToolRefusal } from './types.ts'

export const refusal = (code: ErrorCode, message: string, next: string): { refused: ToolRefusal } => ({
  refused: { error: { code, message: message.slice(0, 2_000), next: next.slice(0, 500) } },
})

/**
 * What the thread's approval policy says to an action that changes something. `untrusted` asks a person each time;
 * the other policies leave it to the sandbox, which holds the permission whatever a command tries.
 */
export const needsApproval = async (
  context: ToolContext,
  action: string,
): Promise<{ refused: ToolRefusal } | null> => {
  if (context.settings.approvals !== 'untrusted') return null
  const reason = 'This thread asks before anything is run or changed.'
  const answer = await context.approve?.({ action, reason }, context.signal)
  if (answer?.allowed) return null
  const words = answer?.words ? ` They say: ${answer.words}` : ''
  return answer === undefined
    ? refusal(
        'tool_refused',
        'This needs a person to approve it, and nobody can be asked here.',
        'Go on without it.',
      )
    : refusal(
        'tool_refused',
        `A person refused this.${words}`,
        'Do not try it again in another way; ask what to do.',
      )
}
