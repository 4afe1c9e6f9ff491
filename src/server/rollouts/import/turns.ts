/**
 * The turns and steps of one imported rollout: what is open, what it used and how it ended. Words of the agent wait here
 * until it is known whether a call follows them.
 */
import type { ErrorFact } from '../../../protocol/error.ts'
import { addUsage, type EventBody, noUsage, type Usage } from '../../../protocol/event.ts'
import type { Calls } from './calls.ts'
import { contextOf, priceOf } from './figures.ts'
import type { Pieces } from './pieces.ts'
import { longText } from './text.ts'
import type { ReaderContext } from './types.ts'
import type { Windows } from './windows.ts'

/** A provider that no team has: models of imported turns are known by name alone. */
const nobodysProvider = 'prv_00000000-0000-7000-8000-000000000000'

export type TurnEnd =
  | { status: 'completed' }
  | { status: 'interrupted'; reason: string }
  | { status: 'failed' | 'limited'; error: ErrorFact }

export type StepEnding = {
  usage?: Usage
  costMicros?: number | null
  stop?: string
  contextLimit?: number
  error?: ErrorFact
  requestId?: string
  firstTokenMs?: number
  totalMs?: number
}

type Step = {
  stepId: string
  index: number
  startedAt: number
  calls: number
  usage: Usage | null
  costMicros: number | null
}
type Turn = {
  turnId: string
  startedAt: number
  steps: number
  usage: Usage
  /** Null once a step's price is not known. */
  costMicros: number | null
  /** The agent did anything in it. */
  hasActed: boolean
}
/** Words of the agent, of the step that is named. */
export type HeldMessage = { id: string; text: string; at: number; stepId: string | undefined }

const modelOf = (name: string): EventBody<'turn.started'> => ({
  model: { providerId: nobodysProvider, model: name || 'unknown' },
  modelLabel: name || '?',
})

type Deps = {
  pieces: Pieces
  calls: Calls
  windows: Windows
  report: ReaderContext['report']
  newId: ReaderContext['newId']
}

export const createTurns = ({ pieces, calls, windows, report, newId }: Deps) => {
  const { push, keep, emit, emitItem, time } = pieces
  let model = ''
  let turn: Turn | null = null
  let step: Step | null = null
  let held: HeldMessage | null = null
  let lastInputAt: number | null = null
  let contextLimit = 0
  let turnHead: EventBody<'turn.started'> | null = null

  /** Words of the agent are final unless a call follows; they wait for that. */
  const settleMessage = (phase: 'commentary' | 'final'): void => {
    if (held === null) return
    const { id, text, at, stepId } = held
    held = null
    emitItem(
      { id, type: 'agent_message', phase, text: longText(text, keep) },
      { at, ...(stepId === undefined ? {} : { stepId }) },
    )
  }

  const needWindow = (): void => {
    if (!windows.isOpen()) windows.open({ reason: 'first_turn' })
  }

  const startTurn = (): void => {
    if (turn !== null) return
    turn = {
      turnId: newId('trn'),
      startedAt: time(),
      steps: 0,
      usage: noUsage,
      costMicros: 0,
      hasActed: false,
    }
    lastInputAt = time()
    turnHead = modelOf(model)
    emit('turn.started', turnHead, { actorId: 'system' })
  }

  const startStep = (): Step => {
    startTurn()
    if (step !== null) return step
    needWindow()
    settleMessage('final')
    const stepId = newId('stp')
    const startedAt = Math.min(lastInputAt ?? time(), time())
    const index = turn?.steps ?? 0
    step = { stepId, index, startedAt, calls: 0, usage: null, costMicros: null }
    if (turn !== null) turn.steps += 1
    const { blockCount, newBlocks, bodySha256, envelope, estimatedTokens } = windows.request()
    push({
      type: 'step',
      step: {
        stepId,
        windowId: windows.id(),
        turnId: turn?.turnId ?? '',
        index,
        blockCount,
        envelopeHash: keep(Buffer.from(envelope)),
        cacheMarks: [],
        bodySha256,
        model: model.slice(0, 200),
        startedAt,
      },
    })
    emit('step.started', { index, blockCount, newBlocks, bodySha256, estimatedTokens }, { at: startedAt })
    return step
  }

  const endStep = (ending: StepEnding = {}): void => {
    if (step === null) return
    settleMessage(step.calls > 0 ? 'commentary' : 'final')
    const usage = ending.usage ?? step.usage ?? noUsage
    const costMicros = ending.costMicros ?? step.costMicros ?? priceOf(model, usage)
    const totalMs = ending.totalMs ?? Math.max(0, time() - step.startedAt)
    contextLimit = ending.contextLimit ?? contextLimit
    report.usage(usage)
    if (turn !== null) {
      turn.usage = addUsage(turn.usage, usage)
      const isPriced = costMicros !== null || usage.input + usage.output === 0
      turn.costMicros = isPriced && turn.costMicros !== null ? turn.costMicros + (costMicros ?? 0) : null
    }
    const figures = { usage, costMicros }
    const firstTokenMs = ending.firstTokenMs ?? null
    const stopReason = ending.stop ?? (step.calls > 0 ? 'tool_calls' : 'end')
    push({
      type: 'stepEnd',
      end: {
        stepId: step.stepId,
        status: ending.error === undefined ? 'completed' : 'failed',
        ...figures,
        firstTokenMs,
        totalMs,
        retries: 0,
        providerRequestId: ending.requestId?.slice(0, 200) ?? null,
        stopReason: stopReason.slice(0, 200),
        rawResponseHash: null,
      },
    })
    if (ending.error === undefined)
      emit('step.completed', {
        ...figures,
        firstTokenMs,
        totalMs,
        retries: 0,
        stopReason: stopReason.slice(0, 200),
        toolCalls: step.calls,
        contextTokens: usage.input + usage.output,
        contextLimit: contextLimit || contextOf(model),
      })
    else emit('step.failed', { error: ending.error, ...figures, totalMs, retries: 0 })
    step = null
    lastInputAt = time()
  }

  const endTurn = (end: TurnEnd): void => {
    endStep()
    settleMessage('final')
    if (turn === null) return
    calls.endTurn(time())
    const totals = {
      usage: turn.usage,
      costMicros: turn.costMicros,
      durationMs: Math.max(0, time() - turn.startedAt),
      steps: turn.steps,
    }
    const by = { actorId: 'agent' }
    if (end.status === 'completed') emit('turn.completed', totals, by)
    else if (end.status === 'interrupted')
      emit('turn.interrupted', { ...totals, reason: end.reason.slice(0, 200) }, by)
    else emit(`turn.${end.status}`, { ...totals, error: end.error }, by)
    turn = null
  }

  return {
    model: () => model,
    turn: (): Readonly<Turn> | null => turn,
    step: (): Readonly<Step> | null => step,
    needWindow,
    startTurn,
    endTurn,
    startStep,
    endStep,
    settleMessage,

    setModel: (name: string): void => {
      model = name.slice(0, 200)
      // Files name the model after the turn began; its head waits with what is not written yet.
      if (turn?.steps === 0 && turnHead !== null) Object.assign(turnHead, modelOf(model))
      report.model(model)
    },

    /** The next request's time begins no earlier than now. */
    sawInput: (): void => {
      lastInputAt = time()
    },

    /** The agent did something in the turn that runs; `isCall`: it asked for a tool. */
    act: (isCall = false): void => {
      if (turn !== null) turn.hasActed = true
      if (isCall && step !== null) step.calls += 1
    },

    /** These words wait for what follows them. */
    hold: (message: HeldMessage): void => {
      held = message
    },

    /** What the request that is open used; it may be said before it ends. */
    spend: (usage: Usage, costMicros: number | null = null): void => {
      if (step !== null) step = { ...step, usage, costMicros }
    },
  }
}
