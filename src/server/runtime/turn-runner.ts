/**
 * Runs one turn of a thread: gives the loop its ports, and when it is over starts what waits. Knows no op but messages.
 */
import { type ErrorFact, Fault, toFact } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import type { ModelRef } from '../../protocol/settings.ts'
import { renewAtRest } from '../agent/at-rest.ts'
import { endedByDeath, stepEndedByDeath } from '../agent/ended-by-death.ts'
import { runTurn } from '../agent/turn.ts'
import type { StopReason, TurnInput, TurnOutcome } from '../agent/types.ts'
import { loadWindow } from '../context/window.ts'
import { decodeWireBlock } from '../providers/wire-block.ts'
import type { OpChange } from '../store/types.ts'
import type { ThreadContext } from './context.ts'
import {
  firstPosition,
  insert,
  type QueuedMessage,
  queueBody,
  remove,
  type TurnStart,
} from './message-queue.ts'
import { killsItsServer, type LeftTurn, readLeftTurn, readWindow } from './recovery.ts'
import { portsOf } from './turn-ports.ts'

type Message = { opId: string; actorId: string; op: TurnStart; via: 'start' | 'queue' }

/** Everything of a turn's input but what it is about. */
const inputOf = async (context: ThreadContext, modelRef: ModelRef, actorId: string) => {
  const { deps, threadId } = context
  const [resolved, project, seed] = await Promise.all([
    deps.resolveModel(modelRef, { threadId, actorId }),
    deps.store.projects.get(context.projectId),
    deps.store.threads.seed(threadId),
  ])
  context.window ??= loadWindow(await readWindow(deps.store, context.log.state()), decodeWireBlock)
  return {
    threadId,
    window: context.window,
    provider: resolved.provider,
    model: resolved.model,
    modelRef,
    traits: resolved.traits,
    tools: deps.tools,
    sessions: context.sessions,
    projectInstructions: project.instructions,
    workspaceHasFiles: seed !== null,
    wantsWindow: context.log.state().landmarks.renewal !== null,
  }
}

const run = (
  context: ThreadContext,
  turnId: string,
  opId: string | null,
  input: () => Promise<TurnInput>,
): void => {
  const controller = new AbortController()
  const begin = async (): Promise<TurnOutcome> => runTurn(await portsOf(context, controller), await input())
  const done = begin()
    .catch((error: unknown): TurnOutcome => {
      context.deps.log.error('a turn could not be run', { threadId: context.threadId, turnId, error })
      return { status: 'abandoned' }
    })
    .then((outcome) => context.inTurn(() => afterTurn(context, turnId, opId, outcome)))
    .catch((error: unknown) =>
      context.deps.log.error('what follows a turn failed', { threadId: context.threadId, error }),
    )
  context.turn = { turnId, controller, done }
}

const noModel = (): Fault =>
  new Fault('model_not_found', 'This thread has no model yet.', 'Choose a model, then send again.')

/**
 * Starts a turn with a message. Faults (no model) mean that nothing was begun; otherwise the op is
 * settled by the turn's first event.
 */
export const startTurn = async (context: ThreadContext, message: Message): Promise<void> => {
  const modelRef = context.log.state().settings.model
  if (!modelRef) throw noModel()
  const fixed = await inputOf(context, modelRef, message.actorId)
  const turnId = newId('trn')
  run(context, turnId, message.opId, async () => ({
    ...fixed,
    turnId,
    actorId: message.actorId,
    opId: message.opId,
    content: message.op.content,
    via: message.via,
    ...(message.op.cwd === undefined ? {} : { cwd: message.op.cwd }),
    resume: null,
  }))
}

/** Goes on with the turn that a dead process left; a model that is gone fails the turn. */
export const resumeTurn = async (context: ThreadContext, left: LeftTurn): Promise<void> => {
  const op = left.opId === null ? null : await context.deps.store.ops.get(context.threadId, left.opId)
  const fatal = killsItsServer(left)
  if (fatal !== null) {
    await failTurn(context, left, fatal)
    return goOn(context)
  }
  const said = op && (op.op.type === 'turn.start' || op.op.type === 'turn.steer') ? op.op : null
  const cwd = said?.type === 'turn.start' ? said.cwd : undefined
  try {
    const fixed = await inputOf(context, left.modelRef, left.actorId)
    run(context, left.turnId, left.opId, async () => ({
      ...fixed,
      turnId: left.turnId,
      actorId: left.actorId,
      ...(left.opId === null ? {} : { opId: left.opId }),
      content: said?.content ?? [],
      via: 'start',
      ...(cwd === undefined ? {} : { cwd }),
      resume: left.resume,
    }))
  } catch (error) {
    await failTurn(context, left, toFact(error))
    await goOn(context)
  }
}

/** The end of a turn that cannot go on, since what it needs is gone. */
const failTurn = async (context: ThreadContext, left: LeftTurn, error: ErrorFact): Promise<void> => {
  const { usage, costMicros, steps, startedAt, openStep, items } = left.resume
  const { windowId } = context.log.state()
  const place = { windowId, turnId: left.turnId, actorId: 'system' as const }
  if (openStep !== null) {
    const { end, body } = stepEndedByDeath(openStep, Date.now())
    await context.log.recorder.endStep(end, { ...place, stepId: openStep.stepId, type: 'step.cut', body })
  }
  for (const { item } of items.filter(({ done }) => !done)) {
    const body = { item: endedByDeath(item, Date.now()) }
    await context.log.emit({ ...place, itemId: item.id, type: 'item.completed', body })
  }
  const durationMs = Math.max(0, Date.now() - startedAt)
  const { committed } = await context.log.emit({
    ...place,
    type: 'turn.failed',
    body: { usage, costMicros, steps, durationMs, error },
  })
  await committed
}

const afterTurn = async (
  context: ThreadContext,
  turnId: string,
  opId: string | null,
  outcome: TurnOutcome,
): Promise<void> => {
  context.turn = null
  context.questions.clear()
  context.early.clear()
  if (context.closing || !context.log.alive()) return
  await context.log.endDrafts()
  if (outcome.status === 'abandoned') await giveUp(context, turnId, opId)
  await goOn(context)
}

/** A turn that our own defect ended without a word: it must not look as if it ran for ever. */
const giveUp = async (context: ThreadContext, turnId: string, opId: string | null): Promise<void> => {
  const { log, deps, threadId } = context
  const error = toFact(null)
  const op = opId === null ? null : await deps.store.ops.get(threadId, opId)
  if (op && (op.status === 'accepted' || op.status === 'queued'))
    await log.decide([{ opId: op.clientId, status: 'refused', error }])
  if (log.state().turnId !== turnId) return
  const left = await readLeftTurn(deps.store, threadId, turnId, (text) => log.recorder.long(text))
  if (left) await failTurn(context, left, error)
}

/** After a turn, or without one: what was said and not yet read comes next. */
export const goOn = async (context: ThreadContext): Promise<void> => {
  if (openAsked(context)) return
  await keepSteers(context)
  await startNext(context)
}

/**
 * Begins to open the window that people asked for, unless a turn runs, which does it itself; true when it began. A
 * strategy may ask a model for it, so nothing else waits until it is there; what was said meanwhile comes after it.
 */
export const openAsked = (context: ThreadContext): boolean => {
  const [first] = context.windowOps
  if (first === undefined || context.turn || context.closing || !context.log.alive()) return false
  const controller = new AbortController()
  const done = openAtRest(context, controller, first.actorId)
    .catch((error: unknown) =>
      context.deps.log.error('what people asked for was not answered', { threadId: context.threadId, error }),
    )
    .then(() => {
      context.turn = null
      if (context.closing || !context.log.alive()) return
      void context.inTurn(() => goOn(context)).catch(() => undefined)
    })
  context.turn = { turnId: '', controller, done }
  return true
}

const openAtRest = async (
  context: ThreadContext,
  controller: AbortController,
  actorId: TurnInput['actorId'],
): Promise<void> => {
  try {
    const modelRef = context.log.state().settings.model
    if (!modelRef) throw noModel()
    const [fixed, ports] = await Promise.all([
      inputOf(context, modelRef, actorId),
      portsOf(context, controller),
    ])
    const focus = ports.control.takeWindow()?.focus ?? null
    await renewAtRest(ports, { ...fixed, actorId }, focus)
  } catch (error) {
    if (!context.log.alive() || context.closing) return
    const wasStopped = controller.signal.aborted
    if (!(error instanceof Fault) && !wasStopped)
      context.deps.log.error('a window could not be opened', { threadId: context.threadId, error })
    const why = wasStopped
      ? new Fault('op_refused', 'The thread was stopped before the window was there.', 'Ask for it again.')
      : error
    const refused = context.windowOps.splice(0)
    await context.log.decide(
      refused.map(({ clientId }) => ({ opId: clientId, status: 'refused', error: toFact(why) })),
    )
  }
}

/** A steer that no request took becomes the next message: nothing that a person said is dropped. */
const keepSteers = async (context: ThreadContext): Promise<void> => {
  const ops: OpChange[] = []
  for (const { clientId, actorId, op, acceptedAt } of context.steers.splice(0).reverse()) {
    if (op.type !== 'turn.steer') continue
    const position = firstPosition(context.queue)
    const message: QueuedMessage = {
      opId: clientId,
      actorId,
      op: { type: 'turn.start', content: op.content },
      position,
      queuedAt: acceptedAt,
    }
    context.queue = insert(context.queue, message)
    ops.push({ opId: clientId, status: 'queued', position, op: message.op })
  }
  if (ops.length > 0) await emitQueue(context, 'system', ops)
}

/** Tells the queue as it is now, together with the ops that changed it. */
export const emitQueue = async (
  context: ThreadContext,
  actorId: string,
  ops: OpChange[] = [],
): Promise<void> => {
  const { committed } = await context.log.emit(
    {
      type: 'queue.changed',
      windowId: context.log.state().windowId,
      actorId,
      body: queueBody(context.queue),
    },
    { ops },
  )
  await committed
}

/** Starts the first waiting message, if nothing runs. One that cannot start is refused, told in the thread, and the next is tried. */
const startNext = async (context: ThreadContext): Promise<void> => {
  while (!context.turn && !context.closing && context.log.alive()) {
    const next = context.queue[0]
    if (!next || context.log.state().status === 'closed') return
    context.queue = remove(context.queue, next.opId)
    // The op is settled with `turn.started`; until then it is still in the stored queue, so nothing is lost in between.
    await emitQueue(context, 'system')
    try {
      await startTurn(context, { opId: next.opId, actorId: next.actorId, op: next.op, via: 'queue' })
    } catch (error) {
      await refuseQueued(context, next, toFact(error))
    }
  }
}

const refuseQueued = async (
  context: ThreadContext,
  message: QueuedMessage,
  error: ErrorFact,
): Promise<void> => {
  const id = newId('itm')
  const { committed } = await context.log.emit(
    {
      type: 'item.completed',
      windowId: context.log.state().windowId,
      itemId: id,
      actorId: 'system',
      body: {
        item: {
          id,
          type: 'notice',
          level: 'error',
          kind: 'message_refused',
          text: `A waiting message could not be sent: ${error.message} ${error.next}`,
          error,
        },
      },
    },
    { ops: [{ opId: message.opId, status: 'refused', error }] },
  )
  await committed
}

/** Stops the running turn; it ends by its own doing. */
export const stopTurn = (context: ThreadContext, reason: StopReason): void => {
  context.turn?.controller.abort(reason)
}
