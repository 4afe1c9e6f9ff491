/**
 * One answer of the model as it streams in: items begin, grow and end in the log, whole calls go to the tool round, and
 * what may be sent back is appended to the window. Knows no wire: it is given model events.
 */

import type { AgentMessage } from '../../protocol/item.ts'
import { estimateTokens, scaleOf } from '../context/budget.ts'
import { uniqueCallId } from '../context/window.ts'
import type { ModelEvent, OutputBlock, StopReason, Usage } from '../providers/types.ts'
import type { TurnRun } from './run.ts'
import type { ProposedCall } from './tool-runner.ts'

type Open = {
  itemId: string
  kind: OutputBlock['kind']
  text: string
  callId: string
  name: string
  /** Whether the log has its beginning. */
  shown: boolean
  since: number
  /** UTF-16 units of `text` that were told as deltas, and the rest of it. A slice of the whole for each piece would
   * copy the whole each time, and the copies would live as long as their slices. */
  told: number
  untold: string
}

/** A call that is not whole after this long is shown while it is written. */
const callShownMs = 50

/** Longer ids are no vendor's; a call is known by its item's id instead. */
const maxIdChars = 256
const givenId = (id: string | undefined): string | null =>
  id === undefined || id === '' || id.length > maxIdChars ? null : id

/**
 * The name under which a call is refused or run, and sent back: vendors refuse a whole request for one name with other
 * characters, of more than 64, or of none, so a name that a model made up would end its thread.
 */
const sentBackName = (name: string): string => name.slice(0, 64).replace(/[^a-zA-Z0-9_-]/g, '_') || 'unnamed'

export type Answer = {
  take(event: ModelEvent): Promise<void>
  /** The stream is over. `whole` = it ended as it should; otherwise what was open is marked as cut. */
  close(whole: boolean): Promise<void>
  /** As the provider counted; null when it never said. */
  usage(): Usage | null
  stopReason(): { reason: StopReason; raw: string | null } | null
  /** Whether something of the answer stands in the window or would, so that a retry would say it twice. */
  hasOutput(): boolean
  /** Estimated tokens of the thoughts that are shown; what a provider counts among its output without telling them apart. */
  thoughtTokens(): number
  calls(): number
  said(): boolean
}

export const createAnswer = (run: TurnRun, stepId: string, onCall: (call: ProposedCall) => void): Answer => {
  const { recorder } = run.ports
  const { wire } = run.input.provider
  const open = new Map<number, Open>()
  /** Whole messages whose phase is not decided yet: only a call after them makes them commentary. */
  let held: { itemId: string; text: string; cut: boolean }[] = []
  const output: OutputBlock[] = []
  const itemOf = new Map<OutputBlock, string>()
  const told = new Set<OutputBlock>()
  const takenIds = new Set<string>()
  let usage: Usage | null = null
  let stop: { reason: StopReason; raw: string | null } | null = null
  let calls = 0

  /** Appends what may be sent of the answer so far, in order, each block once. */
  const tellOutput = (): void => {
    const { traits } = run.input.window.frozen ?? { traits: run.input.traits }
    const isFirst = told.size === 0
    for (const block of wire.sendable(output, traits)) {
      if (told.has(block)) continue
      const itemId = itemOf.get(block)
      // A block that the wire itself adds stands at the front of the answer; later there is no place for it.
      if (itemId === undefined && !isFirst) continue
      told.add(block)
      run.tell({ ...block, group: stepId }, { reason: 'output', ...(itemId === undefined ? {} : { itemId }) })
    }
  }

  const show = async (entry: Open): Promise<void> => {
    if (entry.shown) return
    entry.shown = true
    const { itemId: id } = entry
    const about = { stepId, itemId: id }
    if (entry.kind === 'assistant')
      await run.emit(
        'item.started',
        { item: { id, type: 'agent_message', phase: 'commentary', text: { text: '' } } },
        about,
      )
    else if (entry.kind === 'reasoning')
      await run.emit('item.started', { item: { id, type: 'reasoning', text: { text: '' } } }, about)
    else if (entry.kind === 'tool_call')
      await run.emit(
        'item.started',
        {
          item: {
            id,
            type: 'tool_call',
            callId: entry.callId,
            tool: entry.name,
            arguments: { text: '' },
            state: { status: 'proposed' },
          },
        },
        about,
      )
  }

  const flushHeld = async (phase: AgentMessage['phase']): Promise<void> => {
    const messages = held
    held = []
    for (const { itemId: id, text, cut } of messages) {
      const item: AgentMessage = {
        id,
        type: 'agent_message',
        phase,
        text: await recorder.long(text),
        ...(cut ? { cut } : {}),
      }
      await run.emit('item.completed', { item }, { stepId, itemId: id })
    }
  }

  const entryFor = (index: number, kind: OutputBlock['kind']): Open => {
    const known = open.get(index)
    if (known !== undefined) return known
    const itemId = run.ports.newId('itm')
    const since = run.ports.clock.now()
    const entry: Open = {
      itemId,
      kind,
      text: '',
      callId: '',
      name: '',
      shown: false,
      since,
      told: 0,
      untold: '',
    }
    open.set(index, entry)
    return entry
  }

  const grow = async (index: number, kind: OutputBlock['kind'], text: string): Promise<void> => {
    if (text === '') return
    const entry = entryFor(index, kind)
    entry.text += text
    entry.untold += text
    // Most calls are whole in no time; only one that takes long is worth an event of its own beginning.
    if (kind === 'tool_call' && !entry.shown && run.ports.clock.now() - entry.since < callShownMs) return
    await show(entry)
    const part = kind === 'tool_call' ? 'arguments' : 'text'
    const piece = entry.untold
    recorder.delta(entry.itemId, part, entry.told, piece)
    entry.told += piece.length
    entry.untold = ''
  }

  const completeReasoning = async (
    entry: Open,
    text: string,
    hasPayload: boolean,
    cut: boolean,
  ): Promise<void> => {
    if (!entry.shown && text === '' && !hasPayload) return
    await run.emit(
      'item.completed',
      {
        item: {
          id: entry.itemId,
          type: 'reasoning',
          text: await recorder.long(text),
          ...(text === '' && !cut ? { hidden: true } : {}),
        },
      },
      { stepId, itemId: entry.itemId },
    )
  }

  const complete = async (index: number, block: OutputBlock): Promise<void> => {
    const entry = entryFor(index, block.kind)
    open.delete(index)
    if (block.kind === 'tool_call') {
      calls += 1
      const callId = uniqueCallId(run.input.window, givenId(block.callId) ?? entry.itemId, takenIds)
      takenIds.add(callId)
      const whole = { ...block, callId, name: sentBackName(block.name) }
      output.push(whole)
      itemOf.set(whole, entry.itemId)
      await flushHeld('commentary')
      tellOutput()
      onCall({ itemId: entry.itemId, callId, tool: whole.name, argumentsText: block.argumentsText })
      return
    }
    output.push(block)
    itemOf.set(block, entry.itemId)
    if (block.kind === 'assistant') {
      if (block.text !== '' || entry.shown) held.push({ itemId: entry.itemId, text: block.text, cut: false })
    } else if (block.kind === 'reasoning')
      await completeReasoning(entry, block.text, block.payload !== null, false)
  }

  /** What never became whole: shown as cut; a person read it, so it is not taken away. */
  const cutOpen = async (): Promise<void> => {
    for (const entry of [...open.values()].filter(({ shown }) => shown)) {
      const about = { stepId, itemId: entry.itemId }
      if (entry.kind === 'assistant') held.push({ itemId: entry.itemId, text: entry.text, cut: true })
      else if (entry.kind === 'reasoning') await completeReasoning(entry, entry.text, false, true)
      else if (entry.kind === 'tool_call')
        await run.emit(
          'item.completed',
          {
            item: {
              id: entry.itemId,
              type: 'tool_call',
              callId: entry.callId,
              tool: entry.name,
              arguments: await recorder.long(entry.text),
              state: {
                status: 'interrupted',
                endedAt: run.ports.clock.now(),
                reason: 'the answer ended before the call was whole',
                output: { text: '' },
              },
            },
          },
          about,
        )
    }
    open.clear()
  }

  return {
    async take(event) {
      switch (event.type) {
        case 'item.started': {
          const entry = entryFor(event.item, event.kind)
          entry.callId = givenId(event.callId) ?? ''
          entry.name = event.name === undefined ? '' : sentBackName(event.name)
          if (event.kind === 'tool_call') await flushHeld('commentary')
          return
        }
        case 'text.delta':
          return grow(event.item, 'assistant', event.text)
        case 'reasoning.delta':
          return grow(event.item, 'reasoning', event.text)
        case 'arguments.delta':
          return grow(event.item, 'tool_call', event.text)
        case 'item.completed':
          return complete(event.item, event.block)
        case 'usage':
          usage = event.usage
          return
        case 'completed':
          stop = { reason: event.stopReason, raw: event.rawStopReason }
          return
        case 'response.started':
        case 'failed':
          return
      }
    },
    async close(whole) {
      await cutOpen()
      tellOutput()
      await flushHeld(whole && calls === 0 ? 'final' : 'commentary')
    },
    usage: () => usage,
    stopReason: () => stop,
    hasOutput: () =>
      wire.sendable(output, (run.input.window.frozen ?? { traits: run.input.traits }).traits).length > 0,
    thoughtTokens: () => {
      const scale = scaleOf(run.input.window)
      const thoughts = output.filter((block) => block.kind === 'reasoning')
      return thoughts.reduce(
        (sum, { text }) =>
          sum + estimateTokens({ kind: 'reasoning', text, payload: null, group: stepId }, scale),
        0,
      )
    },
    calls: () => calls,
    said: () => output.some((block) => block.kind === 'assistant' && block.text !== ''),
  }
}
