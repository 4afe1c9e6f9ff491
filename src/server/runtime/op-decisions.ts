/**
 * What each op of a client means for its thread. An op is settled together with the event that it leads to; one that
 * cannot be done is refused with a code and a next step.
 */
import { type ErrorFact, Fault, toFact } from '../../protocol/error.ts'
import type { ActorId } from '../../protocol/ids.ts'
import type { ContentPart } from '../../protocol/item.ts'
import type { Op, StoredOp } from '../../protocol/op.ts'
import type { ThreadSettings } from '../../protocol/settings.ts'
import type { OpChange } from '../store/types.ts'
import type { ThreadContext } from './context.ts'
import { edit, insert, lastPosition, move, previewOf, type QueuedMessage, remove } from './message-queue.ts'
import { writeNote } from './notes.ts'
import { emitQueue, openAsked, startTurn, stopTurn } from './turn-runner.ts'

type OpOf<T extends Op['type']> = {
  opId: string
  actorId: ActorId
  acceptedAt: number
  op: Extract<Op, { type: T }>
}

/** Pinned items are given to every window, so they are few. */
const maxPins = 20

const refused = (message: string, next: string): Fault => new Fault('op_refused', message, next)

const later = (what: string): Fault =>
  refused(`${what} is not available yet.`, 'Go on without it; a later version has it.')

/** Every blob that a message names must already belong to this thread. */
const checkContent = async (context: ThreadContext, content: ContentPart[]): Promise<void> => {
  for (const part of content) {
    if (part.blob === undefined) continue
    if (!(await context.deps.store.blobs.reachable(context.threadId, part.blob)))
      throw new Fault('bad_input', 'An attachment is not in this thread.', 'Attach the file again.')
  }
}

const checkOpen = (context: ThreadContext): void => {
  if (context.log.state().status === 'closed')
    throw refused('This thread is closed.', 'Start a new thread from here.')
}

const settle = (context: ThreadContext, change: OpChange): Promise<void> => context.log.decide([change])

/** The event of new settings, and the ops it settles. */
const emitSettings = async (
  context: ThreadContext,
  actorId: ActorId,
  change: Partial<ThreadSettings>,
  ops: OpChange[],
): Promise<void> => {
  const before = context.log.state().settings
  const opened =
    change.permission === 'full-access' && change.egress === undefined ? { egress: 'public' as const } : {}
  const settings: ThreadSettings = { ...before, ...change, ...opened }
  const changed = (Object.keys(settings) as (keyof ThreadSettings)[]).filter(
    (name) => JSON.stringify(settings[name]) !== JSON.stringify(before[name]),
  )
  if (changed.length === 0) {
    if (ops.length > 0) await context.log.decide(ops)
    return
  }
  const { committed } = await context.log.emit(
    {
      type: 'thread.settings_changed',
      windowId: context.log.state().windowId,
      actorId,
      body: { settings, changed },
    },
    { ops },
  )
  await committed
}

/** A model must exist. One of another wire or family opens a new window with the next message. */
const checkModel = async (
  context: ThreadContext,
  model: ThreadSettings['model'] | undefined,
): Promise<void> => {
  if (model) await context.deps.resolveModel(model)
}

const turnStart = async (context: ThreadContext, { opId, actorId, acceptedAt, op }: OpOf<'turn.start'>) => {
  checkOpen(context)
  await checkContent(context, op.content)
  if (op.model !== undefined || op.effort !== undefined) {
    await checkModel(context, op.model)
    await emitSettings(
      context,
      actorId,
      {
        ...(op.model === undefined ? {} : { model: op.model }),
        ...(op.effort === undefined ? {} : { effort: op.effort }),
      },
      [],
    )
  }
  if (!context.turn && context.queue.length === 0) {
    await startTurn(context, { opId, actorId, op, via: 'start' })
    return
  }
  const message: QueuedMessage = {
    opId,
    actorId,
    op,
    position: lastPosition(context.queue),
    queuedAt: acceptedAt,
  }
  context.queue = insert(context.queue, message)
  const { windowId } = context.log.state()
  await context.log.emit({
    type: 'turn.queued',
    windowId,
    actorId,
    body: { opId, preview: previewOf(op.content) },
  })
  await emitQueue(context, actorId, [{ opId, status: 'queued', position: message.position }])
}

const turnSteer = async (context: ThreadContext, stored: StoredOp, { opId, op }: OpOf<'turn.steer'>) => {
  await checkContent(context, op.content)
  if (context.turn?.turnId !== op.expectedTurnId)
    throw new Fault('turn_mismatch', 'The turn that this was meant for is over.', 'Send it as a new message.')
  await settle(context, { opId, status: 'queued' })
  context.steers.push(stored)
}

const turnInterrupt = async (context: ThreadContext, { opId, actorId, op }: OpOf<'turn.interrupt'>) => {
  if (context.turn?.turnId !== op.turnId)
    throw new Fault('turn_mismatch', 'This turn is not running any more.', 'Nothing to do: it has ended.')
  // Stays open until the turn's end is in the log: a restart in between still stops it.
  await settle(context, { opId, status: 'accepted' })
  context.interrupts.push(opId)
  context.log.show({ status: 'stopping' })
  stopTurn(context, { type: 'person', actorId })
}

const inQueue = (context: ThreadContext, opId: string): QueuedMessage => {
  const message = context.queue.find((each) => each.opId === opId)
  if (!message)
    throw refused('This message is not waiting any more.', 'Reload the page; it may have been sent already.')
  return message
}

const answer = async (context: ThreadContext, { opId, op }: OpOf<'input.answer'>) => {
  // A turn that is being resumed asks again in a moment.
  const isComing = context.turn !== null && context.log.state().status === 'waiting_for_person'
  if (!context.questions.has(op.itemId) && !isComing)
    throw refused('Nobody waits for this answer any more.', 'Send it as a message if it still matters.')
  await settle(context, { opId, status: 'accepted' })
  context.answered.set(op.itemId, opId)
  const resolve = context.questions.get(op.itemId)
  if (resolve) resolve(op.answers)
  else context.early.set(op.itemId, op.answers)
}

const runningCommand = (context: ThreadContext, commandId: string): void => {
  if (!context.commands.has(commandId) && !context.turn)
    throw refused('This command is not running any more.', 'Reload the page to see how it ended.')
}

const close = async (context: ThreadContext, { opId, actorId }: OpOf<'thread.close'>) => {
  const cancelled: OpChange[] = context.queue.map((message) => ({ opId: message.opId, status: 'cancelled' }))
  const hadQueue = context.queue.length > 0
  context.queue = []
  if (hadQueue) await emitQueue(context, actorId, cancelled)
  stopTurn(context, { type: 'person', actorId })
  const { committed } = await context.log.emit(
    { type: 'thread.closed', windowId: context.log.state().windowId, actorId, body: {} },
    { ops: [{ opId, status: 'applied' }] },
  )
  await committed
  const { sandbox } = await context.workspace()
  if (sandbox.status() !== 'absent') await sandbox.stop('the thread was closed')
}

/** Opened at once, or before the next request of the turn that runs; settled by the window's event. */
const windowStart = async (context: ThreadContext, stored: StoredOp): Promise<void> => {
  checkOpen(context)
  if (context.log.state().lockedModel === null)
    throw refused('The first window has not begun yet.', 'Send a message first.')
  await settle(context, { opId: stored.clientId, status: 'accepted' })
  context.windowOps.push(stored)
  openAsked(context)
}

const windowPin = async (
  context: ThreadContext,
  { opId, actorId, op }: OpOf<'window.pin'>,
): Promise<void> => {
  const { itemId, pinned } = op
  const { pinnedItems, windowId } = context.log.state()
  const applied: OpChange = { opId, status: 'applied' }
  if (pinnedItems.includes(itemId) === pinned) return settle(context, applied)
  if (pinned) {
    await context.log.flush()
    const [event] = await context.deps.store.log.lastOfItems(context.threadId, [itemId])
    const item = event && 'item' in event.body ? event.body.item : null
    if (!item) throw new Fault('not_found', 'There is no such item in this thread.', 'Reload the page.')
    if (item.type === 'notice' || item.type === 'hand_over')
      throw refused('This is nothing that a model could be given.', 'Pin a message or a call.')
    if (pinnedItems.length >= maxPins)
      throw refused(`At most ${maxPins} items can be pinned.`, 'Unpin one first.')
  }
  const { committed } = await context.log.emit(
    { type: 'window.pinned', windowId, actorId, itemId, body: { itemId, pinned } },
    { ops: [applied] },
  )
  await committed
}

const act = async (context: ThreadContext, stored: StoredOp): Promise<void> => {
  const { clientId: opId, actorId, acceptedAt, op } = stored
  const base = { opId, actorId, acceptedAt }
  const applied: OpChange = { opId, status: 'applied' }
  switch (op.type) {
    case 'turn.start':
      return turnStart(context, { ...base, op })
    case 'turn.steer':
      return turnSteer(context, stored, { ...base, op })
    case 'turn.interrupt':
      return turnInterrupt(context, { ...base, op })
    case 'queue.edit': {
      await checkContent(context, op.content)
      const message = inQueue(context, op.opId)
      context.queue = edit(context.queue, op.opId, op.content)
      const edited = { ...message.op, content: op.content }
      return emitQueue(context, actorId, [
        applied,
        { opId: op.opId, status: 'queued', position: message.position, op: edited },
      ])
    }
    case 'queue.move': {
      inQueue(context, op.opId)
      const moved = move(context.queue, op.opId, op.before)
      if (!moved) throw refused('The message to put it before is not waiting any more.', 'Reload the page.')
      const before = new Map(context.queue.map(({ opId: id, position }) => [id, position]))
      const changed = moved.filter((message) => before.get(message.opId) !== message.position)
      context.queue = moved
      return emitQueue(context, actorId, [
        applied,
        ...changed.map(({ opId: id, position }): OpChange => ({ opId: id, status: 'queued', position })),
      ])
    }
    case 'queue.cancel':
      inQueue(context, op.opId)
      context.queue = remove(context.queue, op.opId)
      return emitQueue(context, actorId, [applied, { opId: op.opId, status: 'cancelled' }])
    case 'input.answer':
      return answer(context, { ...base, op })
    case 'thread.settings': {
      const change = op.settings as Partial<ThreadSettings>
      await checkModel(context, change.model)
      return emitSettings(context, actorId, change, [applied])
    }
    case 'command.kill': {
      runningCommand(context, op.commandId)
      await (await context.workspace()).sandbox.kill(op.commandId)
      return settle(context, applied)
    }
    case 'command.input': {
      runningCommand(context, op.commandId)
      await (await context.workspace()).sandbox.input(op.commandId, Buffer.from(op.text))
      return settle(context, applied)
    }
    case 'sandbox.start':
      checkOpen(context)
      await (await context.workspace()).sandbox.ensure()
      return settle(context, applied)
    case 'sandbox.stop': {
      if (context.turn)
        throw new Fault('thread_busy', 'A turn is running in this sandbox.', 'Stop the turn first.')
      const { sandbox } = await context.workspace()
      if (sandbox.status() !== 'absent') await sandbox.stop('a person stopped it')
      return settle(context, applied)
    }
    case 'thread.close':
      return close(context, { ...base, op })
    case 'approval.answer':
      throw refused('No approval is waiting.', 'Reload the page.')
    case 'window.start':
      return windowStart(context, stored)
    case 'document.stop': {
      const { document } = context
      if (document?.stepId !== op.stepId)
        throw refused('This document is not being written any more.', 'Nothing to do: the window is opened.')
      document.controller.abort()
      return settle(context, applied)
    }
    case 'window.pin':
      return windowPin(context, { ...base, op })
    case 'note.write':
      checkOpen(context)
      return writeNote(context, { ...base, op })
    case 'thread.rewind':
    case 'thread.redo':
      throw later('Rewinding')
    case 'egress.allow':
      throw later('Allowing a host')
  }
}

/** Decides an op and settles it in the log. Never rejects but for a lost log. */
export const decideOp = async (context: ThreadContext, stored: StoredOp): Promise<void> => {
  try {
    await act(context, stored)
  } catch (error) {
    if (!context.log.alive()) throw error
    const fact: ErrorFact = toFact(error)
    if (!(error instanceof Fault))
      context.deps.log.error('an op met a defect', { threadId: context.threadId, op: stored.op.type, error })
    await settle(context, { opId: stored.clientId, status: 'refused', error: fact })
  }
}
