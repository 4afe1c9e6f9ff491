/** How a turn starts: its first events, the window when there is none yet, the world, and what the person said. */
import type { ContentPart, UserMessage } from '../../protocol/item.ts'
import { adoptWindow } from '../context/assemble.ts'
import { estimateTokens, scaleOf } from '../context/budget.ts'
import { promptParts } from '../context/content.ts'
import { appendWorld } from '../context/world/world.ts'
import { handOverAtStart, openFirst, speaksSameWire } from './hand-over.ts'
import { worldFacts } from './new-window.ts'
import { finishCalls, takeUp } from './resume.ts'
import { lookForRules } from './rules.ts'
import type { TurnRun } from './run.ts'
import type { Resume } from './types.ts'

/** True when a resumed turn turns out to have said its last word already. */
export const beginTurn = async (run: TurnRun): Promise<boolean> => {
  const { input } = run
  const { resume } = input
  if (resume === null)
    await run.emit(
      'turn.started',
      {
        ...(input.opId === undefined ? {} : { opId: input.opId }),
        model: input.modelRef,
        modelLabel: input.model.label,
      },
      { actorId: input.actorId },
    )
  const said = resume?.items.flatMap(({ item }) => (item.type === 'user_message' ? [item] : [])) ?? []
  run.messages.push(...said)
  const message =
    said.length > 0
      ? null
      : await recordMessage(
          run,
          { actorId: input.actorId, content: input.content, via: input.via },
          input.opId,
        )
  await lookForRules(run, input.window.frozen === null)
  if (resume !== null) {
    if (saidItsLastWord(resume)) {
      await finishCalls(run, null)
      return true
    }
    return resumeTurn(run, resume, message)
  }
  if (input.window.frozen === null) {
    await openFirst(run)
    return false
  }
  if (speaksSameWire(run)) {
    run.keep(adoptWindow(input.window, input.provider.wire, input.traits, input.tools.specs))
    await finishCalls(run, null)
  }
  const parts = message === null ? [] : await promptParts(message.content, run.ports.recorder.readBlob)
  if (await handOverAtStart(run, estimateTokens({ kind: 'user', parts }, scaleOf(input.window)))) return false
  tellWorld(run)
  if (message !== null) run.tell({ kind: 'user', parts }, { reason: 'message', itemId: message.id })
  return false
}

/** Goes on in the window that was open; what the model asked for before the end is still asked for. */
const resumeTurn = async (run: TurnRun, resume: Resume, message: UserMessage | null): Promise<boolean> => {
  if (run.input.window.frozen === null) await openFirst(run)
  await takeUp(run, resume)
  if (!speaksSameWire(run)) return false
  tellWorld(run)
  // The first window has it already.
  if (message !== null && !run.input.window.messages.has(message.id)) await tellMessage(run, message)
  return false
}

/** The answer stands in the log; only the turn's end is missing. */
const saidItsLastWord = ({ items, openStep }: Resume): boolean => {
  const last = items.at(-1)
  return (
    openStep === null &&
    last?.done === true &&
    last.item.type === 'agent_message' &&
    last.item.phase === 'final' &&
    last.item.cut !== true
  )
}

/** Appends what changed around the conversation since the window was told last. */
export const tellWorld = (run: TurnRun): void => {
  const { window, provider } = run.input
  run.keep(appendWorld(window, provider.wire, worldFacts(run)))
}

/** Puts waiting words of people before the next request; whether there were any. */
export const deliverSteers = async (run: TurnRun): Promise<boolean> => {
  const steers = await run.ports.control.takeSteers()
  for (const { opId, actorId, content } of steers)
    await tellMessage(run, await recordMessage(run, { actorId, content, via: 'steer' }, opId))
  return steers.length > 0
}

const recordMessage = async (
  run: TurnRun,
  said: { actorId: string; content: ContentPart[]; via: UserMessage['via'] },
  opId: string | undefined,
): Promise<UserMessage> => {
  const id = run.ports.newId('itm')
  const { actorId, via } = said
  const content = await Promise.all(said.content.map((part) => kept(run, part)))
  const item: UserMessage = {
    id,
    type: 'user_message',
    ...(opId === undefined ? {} : { opId }),
    actorId,
    content,
    via,
  }
  await run.emit('item.completed', { item }, { itemId: id, actorId })
  const whole = { ...item, content: said.content }
  run.messages.push(whole)
  return whole
}

/** Long words are a blob in the log, so that its event stays small. */
const kept = async (run: TurnRun, part: ContentPart): Promise<ContentPart> =>
  part.type !== 'text' || part.blob !== undefined
    ? part
    : { type: 'text', ...(await run.ports.recorder.long(part.text)) }

const tellMessage = async (run: TurnRun, { id, content }: UserMessage): Promise<void> => {
  const parts = await promptParts(content, run.ports.recorder.readBlob)
  run.tell({ kind: 'user', parts }, { reason: 'message', itemId: id })
}
