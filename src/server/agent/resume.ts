/**
 * Takes up a turn that a dead process left open: the step that never ended, texts in flight, calls without a result.
 * Nothing is done twice that acts on the world, and the log itself is never rewritten.
 */
import type { Item, LongText, QuestionItem, ToolCall } from '../../protocol/item.ts'
import { promptParts } from '../context/content.ts'
import { interruptedCall } from '../context/fragments/interrupted-call.ts'
import { turnResumed } from '../context/fragments/turn-resumed.ts'
import { startCheckpoint } from './checkpoint.ts'
import { endedByDeath, stepEndedByDeath, why } from './ended-by-death.ts'
import { speaksSameWire } from './hand-over.ts'
import { recorded, type TurnRun } from './run.ts'
import { createToolRound, type ToolRound } from './tool-round.ts'
import { type CallOutcome, commandOfItem, type ProposedCall } from './tool-runner.ts'
import type { Resume } from './types.ts'

type Fates = { resumed: string[]; repeated: string[]; abandoned: string[] }

/** The window must be open and loaded from its stored rows. */
export const takeUp = async (run: TurnRun, resume: Resume): Promise<void> => {
  const { window } = run.input
  const open = resume.items.filter(({ done }) => !done).map(({ item }) => item)
  const inWindow = new Set(window.openCalls.keys())
  for (const item of open) {
    // The window's own calls get a result; one that was never whole is not known to the model.
    if (item.type === 'question' || inWindow.has(item.id)) continue
    await close(run, endedByDeath(item, run.ports.clock.now()))
  }
  await finishCalls(run, resume)
  if (resume.openStep !== null) await closeStep(run, resume.openStep)
  // What was said before the turn's last window stands where the model is to find it, or was left behind on purpose.
  const since = resume.items.findLastIndex(({ item }) => item.type === 'hand_over') + 1
  for (const { item } of speaksSameWire(run) ? resume.items.slice(since) : []) {
    // A message whose event was written but not its block: the model has not read it yet.
    if (item.type !== 'user_message' || window.messages.has(item.id)) continue
    const parts = await promptParts(item.content, run.ports.recorder.readBlob)
    run.tell({ kind: 'user', parts }, { reason: 'message', itemId: item.id })
  }
  if (resume.steps > 0 && speaksSameWire(run))
    run.tell({ kind: 'developer', parts: [{ type: 'text', text: turnResumed() }] }, { reason: 'restart' })
}

/**
 * Each call of the window without a result gets one, right after the calls; vendors refuse a window in which one is
 * missing. A command that still runs, or ended meanwhile, gives its real result; a question still waits for its answer;
 * what only looks is done again; whatever else may have acted is told as interrupted.
 */
export const finishCalls = async (run: TurnRun, resume: Resume | null): Promise<void> => {
  const open = [...run.input.window.openCalls]
  const items = resume?.items ?? []
  const byId = new Map(items.map(({ item }) => [item.id, item]))
  const known = open.length === 0 ? new Set<string>() : await knownCommands(run)
  const repeated = resume !== null && resume.openStep !== null && open.length === 0 ? ['model request'] : []
  const fates: Fates = { resumed: [], repeated, abandoned: [] }
  const rounds = new Map<string, ToolRound>()
  const starts: (() => void)[] = []
  for (const [itemId, { callId, group }] of open) {
    const item = byId.get(itemId)
    if (item?.type !== 'tool_call') {
      tellInterrupted(run, itemId, callId, group)
      continue
    }
    const round = rounds.get(group) ?? createToolRound(run, group)
    rounds.set(group, round)
    const call = await proposed(run, item, callId)
    const asked = openQuestion(items, itemId)
    const commandId = commandOfItem(itemId)
    const goesOn = asked !== undefined || (item.state.status === 'running' && known.has(commandId))
    const isRepeated = !goesOn && run.input.tools.find(item.tool)?.repeatable === true
    fates[goesOn ? 'resumed' : isRepeated ? 'repeated' : 'abandoned'].push(item.tool)
    const started = resume?.commands.includes(commandId) ?? false
    starts.push(() =>
      goesOn || isRepeated
        ? round.start(call, { started, ...(asked === undefined ? {} : { asked }) })
        : round.settle(call, interrupted),
    )
  }
  // Told before anything is done again, which may take long, and may have been what ended the server.
  if (resume !== null) await (await run.emit('server.restarted', fates, { actorId: 'system' })).committed
  for (const start of starts) start()
  for (const [group, round] of rounds) {
    let wrote = false
    await round.finish(({ outcome }) => {
      wrote ||= outcome.wrote
    })
    if (wrote) startCheckpoint(run, group)
  }
}

const interrupted: CallOutcome = {
  status: 'interrupted',
  text: interruptedCall(why),
  reason: why,
  wrote: true,
  polled: false,
}

const tellInterrupted = (run: TurnRun, itemId: string, callId: string, group: string): void =>
  run.tell(
    {
      kind: 'tool_result',
      callId,
      // Its item is lost, and the name with it; the id says which call is meant.
      name: 'unknown',
      parts: [{ type: 'text', text: interruptedCall(why) }],
      isError: true,
      group,
    },
    { reason: 'interrupted', itemId },
  )

/** Ids of the commands that the sandbox still knows; none when it does not run, since then nothing in it does. */
const knownCommands = async (run: TurnRun): Promise<Set<string>> => {
  const { sandbox } = run.ports
  const status = sandbox.status()
  if (status === 'absent' || status === 'lost' || status === 'stopped') return new Set()
  try {
    return new Set((await sandbox.commands()).map(({ commandId }) => commandId))
  } catch {
    // A sandbox that does not answer has no results to give; its tools will say why.
    return new Set()
  }
}

const openQuestion = (items: Resume['items'], callItemId: string): QuestionItem | undefined =>
  items
    .filter(({ done }) => !done)
    .flatMap(({ item }) => (item.type === 'question' && item.callItemId === callItemId ? [item] : []))
    .at(-1)

const proposed = async (run: TurnRun, item: ToolCall, callId: string): Promise<ProposedCall> => ({
  itemId: item.id,
  callId,
  tool: item.tool,
  argumentsText: await whole(run, item.arguments),
})

const whole = async (run: TurnRun, { text, blob }: LongText): Promise<string> =>
  blob === undefined ? text : Buffer.from(await run.ports.recorder.readBlob(blob)).toString('utf8')

const close = (run: TurnRun, item: Item) => run.emit('item.completed', { item }, { itemId: item.id })

const closeStep = async (run: TurnRun, open: NonNullable<Resume['openStep']>): Promise<void> => {
  const { end, body } = stepEndedByDeath(open, run.ports.clock.now())
  const event = run.event('step.cut', body, { stepId: open.stepId })
  await recorded(() => run.ports.recorder.endStep(end, event, run.takeRows()), run.halt)
}
