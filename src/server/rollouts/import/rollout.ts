/**
 * One rollout as it is read: keeps turns, windows, steps, items and calls in order and makes our events of them. Formats
 * say what happened, this says it in our words. Knows no format, clock or database.
 */
import type { ErrorFact } from '../../../protocol/error.ts'
import {
  addUsage,
  type EventBody,
  type EventType,
  maxEventBodyBytes,
  type NewEvent,
  noUsage,
  type Usage,
} from '../../../protocol/event.ts'
import type { ContentPart, Item, ToolDetail, UserMessage } from '../../../protocol/item.ts'
import { type CallEnd, createCalls } from './calls.ts'
import { contextOf, priceOf } from './figures.ts'
import { contentOf, longBytes, longText, type Said, sha256, titleOf } from './text.ts'
import type { Piece, ReaderContext, RolloutHead } from './types.ts'
import { createWindows } from './windows.ts'

/** A provider that no team has: models of imported turns are known by name alone. */
const nobodysProvider = 'prv_00000000-0000-7000-8000-000000000000'
const untitled = 'Imported rollout'
/** Blobs that are known to be given: the same text twice is one blob. */
const knownBlobs = 4_096

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

export type Rollout = ReturnType<typeof createRollout>

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
  cost: number | null
  said: boolean
}
type HeldMessage = { id: string; text: string; at: number; stepId: string | undefined }

const modelOf = (name: string): EventBody<'turn.started'> => ({
  model: { providerId: nobodysProvider, model: name || 'unknown' },
  modelLabel: name || '?',
})

export const createRollout = (context: ReaderContext, program: string | null) => {
  const { report, newId } = context
  const head: RolloutHead = {
    threadId: newId('thr'),
    windowId: newId('win'),
    title: titleOf(context.fileName) || untitled,
    program,
    firstAt: null,
  }
  let now: number | null = null
  let line = 1
  let isNamed = false
  let model = ''
  let turn: Turn | null = null
  let step: Step | null = null
  let held: HeldMessage | null = null
  let lastInputAt: number | null = null
  let contextLimit = 0
  let turnHead: EventBody<'turn.started'> | null = null
  const known = new Set<string>()

  report.value.rollouts += 1

  const push = (piece: Piece): void => {
    context.out.push({ head, piece })
  }
  const time = (): number => now ?? context.importedAt

  const keep = (bytes: Uint8Array): string => {
    const hash = sha256(bytes)
    if (known.has(hash)) return hash
    if (known.size >= knownBlobs) known.clear()
    known.add(hash)
    push({ type: 'blob', hash, bytes })
    return hash
  }

  const emit = <T extends EventType>(
    type: T,
    body: EventBody<T>,
    more: { itemId?: string; stepId?: string; actorId?: string; at?: number } = {},
  ): void => {
    const stepId = more.stepId ?? step?.stepId
    const event = {
      type,
      windowId: windows.id(),
      ...(turn === null ? {} : { turnId: turn.turnId }),
      ...(stepId === undefined ? {} : { stepId }),
      ...(more.itemId === undefined ? {} : { itemId: more.itemId }),
      actorId: more.actorId ?? 'agent',
      body,
    } as NewEvent
    const at = more.at ?? time()
    head.firstAt ??= at
    push({ type: 'event', event, at })
  }

  const emitItem = (item: Item, more: { stepId?: string; actorId?: string; at?: number } = {}): void => {
    if (Buffer.byteLength(JSON.stringify(item)) > maxEventBodyBytes - 100)
      report.problem(line, `an item of type ${item.type} is larger than an event should be`)
    emit('item.completed', { item }, { ...more, itemId: item.id })
  }

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

  const calls = createCalls({
    emit: (item, type, at, stepId) =>
      emit(type, { item }, { itemId: item.id, at, ...(stepId === undefined ? {} : { stepId }) }),
    keep,
    report,
    newId,
  })

  const windows = createWindows({
    newId,
    push,
    emit,
    emitItem: (item) => emitItem(item, { actorId: 'system' }),
    model: () => model,
    first: head.windowId,
  })

  const needWindow = (): void => {
    if (!windows.isOpen()) windows.open({ reason: 'first_turn' })
  }

  const startTurn = (): void => {
    if (turn !== null) return
    turn = { turnId: newId('trn'), startedAt: time(), steps: 0, usage: noUsage, cost: 0, said: false }
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
      turn.cost =
        costMicros === null && usage.input + usage.output > 0
          ? null
          : turn.cost === null
            ? null
            : turn.cost + (costMicros ?? 0)
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
      costMicros: turn.cost,
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
    head,
    keep,
    time,
    model: () => model,
    inTurn: () => turn !== null,
    inStep: () => step !== null,
    /** Whether the agent did anything in the turn that runs. */
    hasActed: () => turn?.said ?? false,
    step: () => step,
    openCalls: calls.open,

    /** Where in the file the reading is; a time before the last one is told. */
    place: (atLine: number, at: number | null): void => {
      line = atLine
      if (at === null) return
      if (now !== null && at < now - 1_000)
        report.problem(atLine, `the clock goes back by ${((now - at) / 1_000).toFixed(1)} s`)
      now = at
    },

    /** A time that may lie before the last one without that being odd: things that ran side by side. */
    clock: (at: number | null): void => {
      now = at ?? now
    },

    title: (text: string): void => {
      const title = titleOf(text)
      if (title === '' || isNamed) return
      head.title = title
      isNamed = true
    },

    setModel: (name: string): void => {
      model = name.slice(0, 200)
      // Files name the model after the turn began; its head waits with what is not written yet.
      if (turn?.steps === 0 && turnHead !== null) Object.assign(turnHead, modelOf(model))
      report.model(model)
    },

    startTurn,
    endTurn,
    openWindow: windows.open,
    startStep,
    endStep,

    /** What the request that is open used; it may be said before it ends. */
    spend: (usage: Usage, costMicros: number | null = null): void => {
      if (step !== null) step = { ...step, usage, costMicros }
    },

    /** The request's next block; false once the window is larger than any model takes. */
    addInput: windows.add,
    input: windows.input,

    /** Words of a person, or what a program says in their place (`system`), or what one agent tells another (`agent`). */
    user: (said: readonly Said[], by: { actorId?: 'system' | 'agent'; counted?: boolean } = {}): string => {
      endStep()
      startTurn()
      settleMessage('final')
      const id = newId('itm')
      const content: ContentPart[] = contentOf(said, keep)
      const actorId = by.actorId ?? context.actorId
      const via: UserMessage['via'] = turn?.said === true ? 'steer' : 'start'
      emitItem({ id, type: 'user_message', actorId, content, via }, { actorId })
      if (by.counted !== false) report.message('user')
      lastInputAt = time()
      return id
    },

    agent: (text: string, counted = true): string => {
      const { stepId } = startStep()
      settleMessage(step !== null && step.calls > 0 ? 'commentary' : 'final')
      if (turn !== null) turn.said = true
      const id = newId('itm')
      held = { id, text, at: time(), stepId }
      if (counted) report.message('agent')
      return id
    },

    reasoning: (text: string, isHidden = false): string => {
      startStep()
      settleMessage('commentary')
      if (turn !== null) turn.said = true
      const id = newId('itm')
      emitItem({ id, type: 'reasoning', text: longText(text, keep), ...(isHidden ? { hidden: true } : {}) })
      report.message('reasoning')
      return id
    },

    call: (call: { callId: string; tool: string; args: string; detail?: ToolDetail }): string => {
      const open = startStep()
      settleMessage('commentary')
      open.calls += 1
      if (turn !== null) turn.said = true
      report.call(call.tool)
      return calls.start({ ...call, at: time(), stepId: open.stepId, line })
    },

    /** A call's result; null when nobody made the call (yet). */
    result: (callId: string, end: CallEnd): string | null => {
      report.message('tool')
      lastInputAt = time()
      return calls.finish(callId, end, time(), line)
    },

    detail: (callId: string, detail: Partial<CallEnd>): boolean => calls.detail(callId, detail),
    /** Figures of the command that an open call runs, and the whole of what it printed. */
    detailOf: (
      callId: string,
      figures: { exitCode?: number | null; bytes?: number; timedOut?: boolean },
      full?: string,
    ): boolean => calls.command(callId, figures, full),

    notice: (level: 'info' | 'warning' | 'error', text: string): void => {
      emitItem(
        {
          id: newId('itm'),
          type: 'notice',
          level,
          kind: 'imported',
          text: text.slice(0, 2_000).toWellFormed(),
        },
        { actorId: 'system' },
      )
    },

    plan: (entries: { text: string; status: 'pending' | 'in_progress' | 'completed' }[]): void => {
      const short = entries.slice(0, 30).map((entry) => ({ ...entry, text: entry.text.slice(0, 150) }))
      emitItem({ id: newId('itm'), type: 'plan', entries: short })
    },

    /** A record that nothing else tells of. */
    kept: (
      atLine: number,
      kind: string,
      why: EventBody<'record.kept'>['why'],
      raw: Uint8Array,
      blob?: string,
    ): void => {
      if (blob !== undefined) push({ type: 'ref', hash: blob })
      const text = blob === undefined ? longBytes(raw, keep) : { ...longBytes(raw, () => blob), blob }
      emit('record.kept', { line: atLine, kind: kind.slice(0, 200), why, raw: text }, { actorId: 'system' })
    },

    event: emit,

    end: (): void => {
      if (turn !== null) endTurn({ status: 'interrupted', reason: 'the file ends here' })
      needWindow()
      calls.end(time())
      context.out.push({ head, piece: { type: 'end' } })
    },
  }
}
