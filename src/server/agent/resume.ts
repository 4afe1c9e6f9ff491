/**
 * Closes what a dead process left open in a turn, so that it can go on: the step that never ended, texts in flight, calls
 * without a result. Nothing runs twice; the log itself is never rewritten.
 */
import { noUsage } from '../../protocol/event.ts'
import type { Item, ToolCall } from '../../protocol/item.ts'
import { promptParts } from '../context/content.ts'
import { interruptedCall } from '../context/fragments/interrupted-call.ts'
import { turnResumed } from '../context/fragments/turn-resumed.ts'
import { fact } from './facts.ts'
import { recorded, type TurnRun } from './run.ts'
import type { Resume } from './types.ts'

const why = 'the server was restarted'

/** The window must be open and loaded from its stored rows. */
export const closeLeftOver = async (run: TurnRun, resume: Resume): Promise<void> => {
  const items = new Map(resume.items.map(({ item }) => [item.id, item]))
  for (const { item, done } of resume.items) if (!done) await closeItem(run, item)
  await answerOpenCalls(run, items)
  if (resume.openStep !== null) await closeStep(run, resume.openStep)
  for (const { item } of resume.items) {
    // A message whose event was written but not its block: the model has not read it yet.
    if (item.type !== 'user_message' || run.input.window.messages.has(item.id)) continue
    const parts = await promptParts(item.content, run.ports.recorder.readBlob)
    run.tell({ kind: 'user', parts }, { reason: 'message', itemId: item.id })
  }
  if (resume.steps > 0)
    run.tell({ kind: 'developer', parts: [{ type: 'text', text: turnResumed() }] }, { reason: 'restart' })
}

/**
 * Each call of the window without a result gets one, right after the calls; vendors refuse a window in which one is
 * missing. What the log knows of a call's end is told instead of the interruption.
 */
export const answerOpenCalls = async (run: TurnRun, items: ReadonlyMap<string, Item>): Promise<void> => {
  for (const [itemId, { callId, group }] of [...run.input.window.openCalls]) {
    const item = items.get(itemId)
    const known = item?.type === 'tool_call' ? await knownResult(run, item) : null
    run.tell(
      {
        kind: 'tool_result',
        callId,
        parts: [{ type: 'text', text: known?.text ?? interruptedCall(why) }],
        isError: known === null || known.isError,
        group,
      },
      { reason: known === null ? 'interrupted' : 'result', itemId },
    )
  }
}

const knownResult = async (
  run: TurnRun,
  { state }: ToolCall,
): Promise<{ text: string; isError: boolean } | null> => {
  if (state.status !== 'succeeded' && state.status !== 'failed' && state.status !== 'refused') return null
  const { output } = state
  const text =
    output.blob === undefined
      ? output.text
      : Buffer.from(await run.ports.recorder.readBlob(output.blob)).toString('utf8')
  return { text, isError: state.status !== 'succeeded' }
}

const closeItem = async (run: TurnRun, item: Item): Promise<void> => {
  const place = { itemId: item.id }
  if (item.type === 'agent_message') await run.emit('item.completed', { item: { ...item, cut: true } }, place)
  if (item.type === 'reasoning') await run.emit('item.completed', { item }, place)
  if (item.type === 'tool_call') {
    const { state } = item
    if (state.status !== 'proposed' && state.status !== 'waiting' && state.status !== 'running') return
    const output = { text: interruptedCall(why) }
    const began = state.status === 'running' ? { startedAt: state.startedAt } : {}
    const end = {
      status: 'interrupted' as const,
      ...began,
      endedAt: run.ports.clock.now(),
      reason: why,
      output,
    }
    const detail = state.status === 'running' && state.detail !== undefined ? { detail: state.detail } : {}
    await run.emit('item.completed', { item: { ...item, state: { ...end, ...detail } } }, place)
  }
  if (item.type === 'question') {
    await run.emit('input.resolved', { itemId: item.id, withdrawn: true }, place)
    await run.emit('item.completed', { item: { ...item, withdrawn: true } }, place)
  }
}

const closeStep = async (run: TurnRun, open: NonNullable<Resume['openStep']>): Promise<void> => {
  const { stepId } = open
  const totalMs = Math.max(0, run.ports.clock.now() - open.startedAt)
  const error = fact(
    'stream_cut',
    'The server was restarted while this step ran.',
    'Nothing to do: the turn goes on.',
  )
  const event = run.event('step.cut', { error, usage: noUsage, costMicros: null, totalMs }, { stepId })
  const end = {
    stepId,
    status: 'cut' as const,
    usage: noUsage,
    costMicros: null,
    firstTokenMs: null,
    totalMs,
    retries: 0,
    providerRequestId: null,
    stopReason: '',
    rawResponse: null,
  }
  await recorded(() => run.ports.recorder.endStep(end, event, run.takeRows()), run.halt)
}
