/**
 * One rollout as it is read: formats say what happened, this says it in our words, with turns, windows, steps, items and
 * calls in order. Knows no format, clock or database.
 */
import type { EventBody } from '../../../protocol/event.ts'
import type { ContentPart, ToolDetail, UserMessage } from '../../../protocol/item.ts'
import { type CallEnd, createCalls } from './calls.ts'
import { createPieces } from './pieces.ts'
import { contentOf, longBytes, longText, type Said, titleOf } from './text.ts'
import { createTurns } from './turns.ts'
import type { ReaderContext, RolloutHead } from './types.ts'
import { createWindows } from './windows.ts'

const untitled = 'Imported rollout'

export type Rollout = ReturnType<typeof createRollout>

export const createRollout = (context: ReaderContext, program: string | null) => {
  const { report, newId } = context
  const head: RolloutHead = {
    threadId: newId('thr'),
    windowId: newId('win'),
    title: titleOf(context.fileName) || untitled,
    program,
    firstAt: null,
  }
  let isNamed = false
  report.value.rollouts += 1

  const pieces = createPieces(context, head, () => {
    const turnId = turns.turn()?.turnId
    const stepId = turns.step()?.stepId
    return {
      windowId: windows.id(),
      ...(turnId === undefined ? {} : { turnId }),
      ...(stepId === undefined ? {} : { stepId }),
    }
  })
  const { push, keep, emit, emitItem, time } = pieces

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
    model: () => turns.model(),
    first: head.windowId,
  })

  const turns = createTurns({ pieces, calls, windows, report, newId })
  const { startTurn, startStep, endStep, endTurn, settleMessage } = turns

  return {
    head,
    keep,
    time,
    model: turns.model,
    inTurn: () => turns.turn() !== null,
    inStep: () => turns.step() !== null,
    /** Whether the agent did anything in the turn that runs. */
    hasActed: () => turns.turn()?.hasActed ?? false,
    step: turns.step,
    openCalls: calls.open,
    place: pieces.place,
    clock: pieces.clock,

    title: (text: string): void => {
      const title = titleOf(text)
      if (title === '' || isNamed) return
      head.title = title
      isNamed = true
    },

    setModel: turns.setModel,
    startTurn,
    endTurn,
    openWindow: windows.open,
    startStep,
    endStep,
    spend: turns.spend,

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
      const via: UserMessage['via'] = turns.turn()?.hasActed === true ? 'steer' : 'start'
      emitItem({ id, type: 'user_message', actorId, content, via }, { actorId })
      if (by.counted !== false) report.message('user')
      turns.sawInput()
      return id
    },

    agent: (text: string, counted = true): string => {
      const { stepId, calls: asked } = startStep()
      settleMessage(asked > 0 ? 'commentary' : 'final')
      turns.act()
      const id = newId('itm')
      turns.hold({ id, text, at: time(), stepId })
      if (counted) report.message('agent')
      return id
    },

    reasoning: (text: string, isHidden = false): string => {
      startStep()
      settleMessage('commentary')
      turns.act()
      const id = newId('itm')
      emitItem({ id, type: 'reasoning', text: longText(text, keep), ...(isHidden ? { hidden: true } : {}) })
      report.message('reasoning')
      return id
    },

    call: (call: { callId: string; tool: string; args: string; detail?: ToolDetail }): string => {
      const { stepId } = startStep()
      settleMessage('commentary')
      turns.act(true)
      report.call(call.tool)
      return calls.start({ ...call, at: time(), stepId, line: pieces.line() })
    },

    /** A call's result; null when nobody made the call (yet). */
    result: (callId: string, end: CallEnd): string | null => {
      report.message('tool')
      turns.sawInput()
      return calls.finish(callId, end, time(), pieces.line())
    },

    detail: (callId: string, detail: Partial<CallEnd>): boolean => calls.detail(callId, detail),
    /** Figures of the command that an open call runs, and the whole of what it printed. */
    command: (
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
      if (turns.turn() !== null) endTurn({ status: 'interrupted', reason: 'the file ends here' })
      turns.needWindow()
      calls.end(time())
      context.out.push({ head, piece: { type: 'end' } })
    },
  }
}
