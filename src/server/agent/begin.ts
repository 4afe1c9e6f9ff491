/** How a turn starts: its first events, the window when there is none yet, the world, and what the person said. */
import { Fault, toFact } from '../../protocol/error.ts'
import type { ContentPart, UserMessage } from '../../protocol/item.ts'
import { openWindow } from '../context/assemble.ts'
import { promptParts } from '../context/content.ts'
import { appendWorld } from '../context/world/world.ts'
import { finishCalls, takeUp } from './resume.ts'
import { rulesAtStart } from './rules.ts'
import { recorded, type TurnRun } from './run.ts'
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
  const said = resume?.items.some(({ item }) => item.type === 'user_message') ?? false
  const message = said
    ? null
    : await recordMessage(run, { actorId: input.actorId, content: input.content, via: input.via }, input.opId)
  fitsWindow(run)
  run.rules = await rulesOrNotice(run)
  if (input.window.frozen === null) await openFirst(run)
  const isOver = resume !== null && saidItsLastWord(resume)
  if (resume === null) await finishCalls(run, null)
  else if (!isOver) await takeUp(run, resume)
  if (isOver) return true
  tellWorld(run)
  if (message !== null) await tellMessage(run, message)
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
  const { input, ports } = run
  const { model, window } = input
  const rows = appendWorld(window, input.provider.wire, {
    environment: { cwd: run.cwd, now: ports.clock.now() },
    settings: ports.control.settings(),
    model: { id: model.id, label: model.label },
    projectInstructions: input.projectInstructions,
    rules: run.rules,
  })
  run.keep(rows)
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
  return { ...item, content: said.content }
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

/** Until there are more windows than one, a thread keeps the wire and the family it began with. */
const fitsWindow = (run: TurnRun): void => {
  const { window, provider, model } = run.input
  const { frozen } = window
  if (frozen === null || (frozen.wire === provider.wire.kind && frozen.family === model.family)) return
  throw new Fault(
    'op_refused',
    `This thread began with ${frozen.model}; ${model.label} cannot read its window.`,
    'Choose a model of the same family, or start a new thread from here.',
    { family: frozen.family, wire: frozen.wire },
  )
}

/** A sandbox that does not answer keeps the rules away, not the turn: the model can still talk, and people see why. */
const rulesOrNotice = async (run: TurnRun): Promise<string | null | undefined> => {
  try {
    return await rulesAtStart(run)
  } catch (error) {
    if (run.stop() !== null) return undefined
    if (!(error instanceof Fault)) run.ports.defect(error)
    const id = run.ports.newId('itm')
    const cause = toFact(error)
    const item = {
      id,
      type: 'notice' as const,
      level: 'warning' as const,
      kind: 'rules_unread',
      text: 'The rules of the workspace (AGENTS.md) could not be read.',
      error: cause,
    }
    await run.emit('item.completed', { item }, { itemId: id, actorId: 'system' })
    return undefined
  }
}

const openFirst = async (run: TurnRun): Promise<void> => {
  const { input, ports } = run
  const { window, model, provider } = input
  const frozen = {
    wire: provider.wire.kind,
    model: model.id,
    family: model.family,
    traits: input.traits,
    thinking: model.supports.reasoning,
  }
  const open = async (): Promise<void> => {
    const rows = openWindow(window, provider.wire, frozen, input.tools.specs)
    const tokens = rows.reduce((sum, row) => sum + row.tokens, 0)
    const body = { index: window.index, reason: 'first_turn' as const, blocks: rows.length, tokens }
    const row = { windowId: window.windowId, index: window.index, frozen }
    await recorded(() => ports.recorder.openWindow(row, rows, run.event('window.opened', body)), run.halt)
  }
  const context = { windowId: window.windowId, reason: 'first_turn' }
  await ports.interceptors
    .flatMap((each) => (each.window === undefined ? [] : [each.window]))
    .reduceRight<() => Promise<void>>((next, each) => () => each(context, next), open)()
}
