/** exec_command: runs a shell command and waits a little; a command that takes longer goes on as a session. */
import { z } from 'zod'
import { commandDetail, endedCommand, followCommand, outputText } from './command-output.ts'
import { shellPatch } from './patch/shell.ts'
import { absolutePath } from './paths.ts'
import { proseBeside } from './prose.ts'
import { needsApproval, refusal } from './refusal.ts'
import { defineTool } from './registry.ts'
import { makeRoom, rememberSession, sessionNumber } from './sessions.ts'
import { defaultOutputTokens } from './truncate.ts'
import type { ToolAnswer, ToolContext } from './types.ts'
import { applyWorkspacePatch, patchRefusal } from './workspace-patch.ts'

/** Milliseconds a call waits before it hands back a running command. */
const yieldRange = { min: 250, max: 30_000, standard: 10_000 }

/** No colours, no pagers, one locale: the output is read by a model. */
const environment = {
  NO_COLOR: '1',
  TERM: 'dumb',
  COLORTERM: '',
  LANG: 'C.UTF-8',
  LC_CTYPE: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GH_PAGER: 'cat',
}

const Input = z.object({
  cmd: z.string().min(1).max(1_000_000).describe('Shell command to run with bash.'),
  workdir: z.string().min(1).optional().describe('Folder to run in. Default: the workspace.'),
  login: z
    .boolean()
    .optional()
    .describe('Run as a login shell, which reads the profile files. Default: false.'),
  tty: z
    .boolean()
    .optional()
    .describe('Give the command a terminal, so that it can be typed to with write_stdin. Default: false.'),
  yield_time_ms: z
    .number()
    .optional()
    .describe(
      'How long to wait for the end before handing back a running command: 250 to 30000. Default: 10000.',
    ),
  max_output_tokens: z
    .number()
    .optional()
    .describe(
      'How much output to give back; the middle of longer output is removed. Default and most: 10000.',
    ),
})
type Input = z.infer<typeof Input>

export const clamp = (value: number, low: number, high: number): number =>
  Number.isFinite(value) ? Math.min(Math.max(Math.round(value), low), high) : low

export const outputTokens = (asked: number | undefined): number =>
  clamp(asked ?? defaultOutputTokens, 1, defaultOutputTokens)

type Plan = { input: Input; cwd: string; patch: string | null }

const plan = (input: Input, cwd: string): Plan | 'bare' => {
  const folder = input.workdir === undefined ? cwd : absolutePath(input.workdir, cwd)
  const found = shellPatch(['bash', '-lc', input.cmd])
  if (found.type === 'bare') return 'bare'
  if (found.type === 'other') return { input, cwd: folder, patch: null }
  return {
    input,
    cwd: found.workdir === null ? folder : absolutePath(found.workdir, folder),
    patch: found.patch,
  }
}

const runCommand = async ({ input, cwd }: Plan, context: ToolContext): Promise<ToolAnswer> => {
  const { sandbox, sessions, signal } = context
  const commandId = context.itemId.replace(/^itm_/, 'cmd_')
  const tty = input.tty ?? false
  await makeRoom(context)
  const command = {
    commandId,
    script: input.cmd,
    cwd,
    env: environment,
    mode: context.settings.permission,
    ...(input.login ? { login: true } : {}),
    ...(tty ? { tty: { rows: 25, cols: 120 } } : {}),
  }
  try {
    await sandbox.run(command, signal)
  } catch (error) {
    // Stopped on the way: whether it was accepted is not known.
    if (signal.aborted) await sandbox.kill(commandId).catch(() => undefined)
    throw error
  }
  context.progress.commandStarted({ commandId, command: input.cmd, cwd, tty })
  const yieldMs = clamp(input.yield_time_ms ?? yieldRange.standard, yieldRange.min, yieldRange.max)
  let followed = await followCommand(context, { commandId, from: 0, yieldMs })
  const cut = followed.end === null && signal.aborted
  if (cut) {
    await sandbox.kill(commandId)
    followed = { ...followed, end: await sandbox.wait(commandId) }
  }
  if (followed.end === null) rememberSession(sessions, commandId, { tty, nextOffset: followed.nextOffset })
  const { end } = followed
  return {
    ok: true,
    cut,
    ...outputText(
      followed,
      `Still running as session ${sessionNumber(commandId)}; use write_stdin to read on${tty ? ' or type' : ''}.`,
      outputTokens(input.max_output_tokens),
    ),
    detail: commandDetail(followed, { command: input.cmd, cwd }),
    ...(end === null ? {} : { ended: endedCommand(sandbox, { ...followed, end }) }),
  }
}

export const execCommand = defineTool<Input, Plan>({
  name: 'exec_command',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: true,
  validate(input, { cwd, settings }) {
    if (input.cmd.includes('\0'))
      return refusal(
        'tool_bad_arguments',
        'cmd: a command cannot hold a NUL character.',
        'Write it in another way.',
      )
    const planned = plan(input, cwd)
    if (planned === 'bare')
      return refusal(
        'tool_bad_arguments',
        'cmd: this is the text of a patch, not a command.',
        'Give the text to the apply_patch tool.',
      )
    return planned.patch === null ? null : patchRefusal(planned.patch, planned.cwd, settings)
  },
  async prepare(input, context) {
    const planned = plan(input, context.cwd) as Plan
    return (await needsApproval(context, `Run: ${input.cmd}`)) ?? { prepared: planned }
  },
  invoke: (planned, context) =>
    planned.patch === null
      ? runCommand(planned, context)
      : applyWorkspacePatch(planned.patch, planned.cwd, context),
})
