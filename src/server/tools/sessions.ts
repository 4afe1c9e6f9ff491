/**
 * Commands that went on after their call. A session's number is made from its command's id, so that it is the same
 * after a restart and needs no table of its own.
 */
import type { CommandSession, ToolContext } from './types.ts'

/** Commands a thread may keep running beside its turns. */
export const maxSessions = 64
/** The ones used last are never ended to make room. */
const keptSessions = 8

/** A number of seven digits, as the model names the session. */
export const sessionNumber = (commandId: string): number =>
  1_000_000 + (Number.parseInt(commandId.slice(-8), 16) % 9_000_000)

/** Remembers a session as the one used last. */
export const rememberSession = (
  sessions: Map<string, CommandSession>,
  commandId: string,
  session: CommandSession,
): void => {
  sessions.delete(commandId)
  sessions.set(commandId, session)
}

/** The command behind a number: among the remembered ones, else among those the sandbox still knows. */
export const findSession = async (
  context: Pick<ToolContext, 'sandbox' | 'sessions'>,
  number: number,
): Promise<{ commandId: string; session: CommandSession | null } | null> => {
  const known = [...context.sessions].findLast(([id]) => sessionNumber(id) === number)
  if (known) return { commandId: known[0], session: known[1] }
  const commands = await context.sandbox.commands()
  const found = commands.findLast(({ commandId }) => sessionNumber(commandId) === number)
  return found ? { commandId: found.commandId, session: null } : null
}

/** Ends the session that was not used for longest when there are too many. */
export const makeRoom = async (context: Pick<ToolContext, 'sandbox' | 'sessions'>): Promise<void> => {
  const ids = [...context.sessions.keys()]
  for (const commandId of ids
    .slice(0, Math.max(ids.length - maxSessions + 1, 0))
    .slice(0, maxSessions - keptSessions)) {
    context.sessions.delete(commandId)
    await context.sandbox.kill(commandId).catch(() => undefined)
  }
}
