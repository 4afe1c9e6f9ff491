/**
 * What a thread that was opened from the database goes on with: its inbox, the turn and the commands of a dead process, a
 * container that ended meanwhile. What was left is read by `recovery`; here it is acted on.
 */
import type { StoredOp } from '../../protocol/op.ts'
import type { SandboxStatus } from '../../protocol/thread.ts'
import { stepEndedByDeath } from '../agent/ended-by-death.ts'
import type { SandboxNews } from '../sandbox/types.ts'
import type { ThreadContext } from './context.ts'
import { lastPosition, type QueuedMessage } from './message-queue.ts'
import { killsItsServer, readLeftTurn, readOpenDocument } from './recovery.ts'
import { resumeTurn } from './turn-runner.ts'

const isDown = (status: SandboxStatus): boolean =>
  status === 'absent' || status === 'stopped' || status === 'lost'

/** Steers and waiting messages go where they wait; the ops that nobody has decided come back. */
export const readInbox = async (context: ThreadContext): Promise<StoredOp[]> => {
  const undecided: StoredOp[] = []
  for (const stored of await context.deps.store.ops.pending(context.threadId)) {
    const { op, clientId: opId, actorId, acceptedAt } = stored
    if (stored.status === 'accepted') undecided.push(stored)
    else if (op.type === 'turn.steer') context.steers.push(stored)
    else if (op.type === 'turn.start') {
      const position = stored.position ?? lastPosition(context.queue)
      const message: QueuedMessage = { opId, actorId, op, position, queuedAt: acceptedAt }
      context.queue.push(message)
    }
  }
  return undecided
}

/** Ids that the sandbox still knows; none when it does not run, since then nothing in it does. */
const knownCommands = async (context: ThreadContext): Promise<Set<string>> => {
  try {
    const { sandbox } = await context.workspace()
    if (isDown(sandbox.status())) return new Set()
    return new Set((await sandbox.commands()).map(({ commandId }) => commandId))
  } catch (error) {
    const { deps, threadId } = context
    deps.log.warn('the commands of a thread could not be looked at', { threadId, error })
    return new Set()
  }
}

/** A document that nobody writes any more; the window that it was for is asked for again by its op. */
const closeDocument = async (context: ThreadContext): Promise<void> => {
  const open = await readOpenDocument(context.deps.store, context.threadId)
  if (open === null) return
  const { stepId, windowId } = open
  const { end, body } = stepEndedByDeath(open, Date.now())
  await context.log.recorder.endStep(end, { type: 'step.cut', windowId, stepId, actorId: 'system', body })
}

/** Goes on with the turn and the commands that were left. */
export const recoverTurn = async (context: ThreadContext): Promise<void> => {
  const { store } = context.deps
  const { threadId } = context
  const { turnId, windowId } = context.log.state()
  if (turnId === null) await closeDocument(context)
  const started = await store.log.openCommands(threadId)
  if (turnId === null && started.length === 0) return
  const known = started.length === 0 ? new Set<string>() : await knownCommands(context)
  const left =
    turnId === null
      ? null
      : await readLeftTurn(store, threadId, turnId, (text) => context.log.recorder.long(text))
  const isTakenUp = left !== null && killsItsServer(left) === null
  const open = new Set(
    !isTakenUp ? [] : left.resume.items.flatMap(({ item, done }) => (done ? [] : [item.id])),
  )
  // The loop takes up the commands of its open calls; all others, and those that nobody knows any more, are ours.
  const ours = started.filter(({ body }) => !open.has(body.itemId) || !known.has(body.commandId))
  if (!isTakenUp) {
    const words = (of: boolean) =>
      ours.filter(({ body }) => known.has(body.commandId) === of).map(({ body }) => body.command)
    await context.log.emit({
      type: 'server.restarted',
      windowId,
      actorId: 'system',
      body: { resumed: words(true), repeated: [], abandoned: words(false) },
    })
  }
  for (const { body, turnId: ofTurn, stepId } of ours) {
    const { commandId, itemId, tty } = body
    if (known.has(commandId)) context.sessions.set(commandId, { tty, nextOffset: 0 })
    context.commands.watch({
      commandId,
      itemId,
      from: 0,
      ...(ofTurn === undefined ? {} : { turnId: ofTurn }),
      ...(stepId === undefined ? {} : { stepId }),
    })
  }
  if (left) await resumeTurn(context, left)
}

/** A container that ended while nobody watched; null when there is nothing to tell. */
export const recoverSandbox = async (context: ThreadContext): Promise<SandboxNews | null> => {
  const told = context.log.state().sandbox
  if (isDown(told)) return null
  const { sandbox } = await context.workspace()
  const now = sandbox.status()
  if (!isDown(now)) return null
  const row = await context.deps.store.sandboxes.ofThread(context.threadId)
  if (!row) return null
  const { sandboxId } = row
  return now === 'lost'
    ? { type: 'lost', sandboxId, message: 'The container is gone.' }
    : { type: 'stopped', sandboxId, why: 'it ended while the server was away' }
}
