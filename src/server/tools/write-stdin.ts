/** write_stdin: types to a running session, or only reads on. */
import { z } from 'zod'
import { Fault } from '../../protocol/error.ts'
import { commandDetail, endedCommand, followCommand, outputText } from './command-output.ts'
import { clamp, outputTokens } from './exec-command.ts'
import { proseBeside } from './prose.ts'
import { needsApproval, refusal } from './refusal.ts'
import { defineTool } from './registry.ts'
import { findSession, rememberSession, sessionNumber } from './sessions.ts'
import type { ToolAnswer, ToolContext } from './types.ts'

/** Milliseconds: after typing the answer is near; a poll without input is for something that takes long. */
const typed = { min: 250, max: 30_000 }
const polled = { min: 5_000, max: 300_000 }
const interruptKey = '\u0003'

const Input = z.object({
  session_id: z.number().int().describe('Number of the running session.'),
  chars: z
    .string()
    .max(1_000_000)
    .optional()
    .describe('Characters to type; \\u0003 is Ctrl-C. Empty or absent: only read on.'),
  yield_time_ms: z
    .number()
    .optional()
    .describe('How long to wait for output: 250 to 30000 after typing, 5000 to 300000 when only reading on.'),
  max_output_tokens: z
    .number()
    .optional()
    .describe(
      'How much output to give back; the middle of longer output is removed. Default and most: 10000.',
    ),
})
type Input = z.infer<typeof Input>
type Plan = { input: Input; commandId: string; tty: boolean | null; from: number }

/** Null, or why nothing could be typed. */
const type = async ({ input, commandId, tty }: Plan, { sandbox }: ToolContext): Promise<Fault | null> => {
  const chars = input.chars ?? ''
  if (chars === '') return null
  // Without a terminal there is nothing that turns the key into a signal.
  const kill = async (): Promise<null> => {
    await sandbox.kill(commandId)
    return null
  }
  try {
    if (tty === false && chars === interruptKey) return await kill()
    await sandbox.input(commandId, new TextEncoder().encode(chars.toWellFormed()))
    return null
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return chars === interruptKey && tty === null ? await kill() : error
  }
}

export const writeStdin = defineTool<Input, Plan>({
  name: 'write_stdin',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: false,
  async prepare(input, context) {
    const found = await findSession(context, input.session_id)
    if (found === null)
      return refusal(
        'tool_bad_arguments',
        `There is no session ${input.session_id}; it has ended and its output was given, or it never was.`,
        'Start the command again with exec_command if it is still needed.',
      )
    const { commandId, session } = found
    const chars = input.chars ?? ''
    if (session?.tty === false && chars !== '' && chars !== interruptKey)
      return refusal(
        'tool_refused',
        `Session ${input.session_id} has no terminal and its standard input is closed.`,
        'Run the command again with tty: true to type to it.',
      )
    const asked = chars === '' ? null : await needsApproval(context, `Type to a running command: ${chars}`)
    if (asked !== null) return asked
    return { prepared: { input, commandId, tty: session?.tty ?? null, from: session?.nextOffset ?? 0 } }
  },
  async invoke(planned, context): Promise<ToolAnswer> {
    const { input, commandId, tty, from } = planned
    const fault = await type(planned, context)
    const range = (input.chars ?? '') === '' ? polled : typed
    const yieldMs = clamp(input.yield_time_ms ?? range.min, range.min, range.max)
    const followed = await followCommand(context, { commandId, from, yieldMs })
    const { end } = followed
    if (end === null)
      rememberSession(context.sessions, commandId, { tty: tty ?? true, nextOffset: followed.nextOffset })
    else context.sessions.delete(commandId)
    return {
      ok: true,
      cut: end === null && context.signal.aborted,
      ...outputText(
        followed,
        // A command that ended meanwhile could not be typed to: its last output is the answer.
        `Session ${sessionNumber(commandId)} is still running.${fault === null ? '' : ` Typing failed: ${fault.message}`}`,
        outputTokens(input.max_output_tokens),
      ),
      detail: commandDetail(followed, { command: input.chars ?? '' }),
      ...(end === null ? {} : { ended: endedCommand(context.sandbox, { ...followed, end }) }),
    }
  },
})
