// The log of one thread in memory, behind the port through which the loop writes it.
import { sha256 } from '../../src/lib/sha256.ts'
import { Fault } from '../../src/protocol/error.ts'
import type { NewEvent } from '../../src/protocol/event.ts'
import { type LongText, previewChars } from '../../src/protocol/item.ts'
import type { NewStep, NewWindow, Recorder, StepEnd } from '../../src/server/agent/types.ts'
import type { NewBlock } from '../../src/server/context/types.ts'

export type MemoryLog = Recorder & {
  events: NewEvent[]
  blocks: NewBlock[]
  steps: NewStep[]
  ends: StepEnd[]
  windows: NewWindow[]
  deltas: { itemId: string; part: string; offset: number; text: string }[]
  blobs: Map<string, Uint8Array>
  /** Throws lease_lost from the n-th event on. */
  loseAfter: number
  ofWindow: Map<string, NewBlock[]>
  blocksOf(windowId: string): NewBlock[]
  keep(windowId: string, blocks: NewBlock[]): void
  ofType<T extends NewEvent['type']>(type: T): Extract<NewEvent, { type: T }>[]
}

export const memoryLog = (): MemoryLog => {
  const log: MemoryLog = {
    events: [],
    blocks: [],
    steps: [],
    ends: [],
    windows: [],
    deltas: [],
    blobs: new Map(),
    loseAfter: Number.POSITIVE_INFINITY,
    blocksOf: (windowId) => log.ofWindow.get(windowId) ?? [],
    ofWindow: new Map(),
    keep(windowId, blocks) {
      log.blocks.push(...blocks)
      if (blocks.length > 0) log.ofWindow.set(windowId, [...log.blocksOf(windowId), ...blocks])
    },
    ofType: (type) => log.events.filter((event) => event.type === type) as never,
    async emit(event, blocks = []) {
      if (log.events.length >= log.loseAfter)
        throw new Fault('lease_lost', 'Another runner has it.', 'Nothing to do.')
      log.events.push(structuredClone(event))
      log.keep(event.windowId, blocks)
      return { seq: log.events.length, committed: Promise.resolve() }
    },
    delta(itemId, part, offset, text) {
      log.deltas.push({ itemId, part, offset, text })
    },
    async startStep(step, blocks, event) {
      await log.emit(event, blocks)
      log.steps.push(step)
    },
    async endStep(step, event, blocks) {
      log.ends.push(step)
      return log.emit(event, blocks)
    },
    async openWindow({ window, blocks, event, closed, after }) {
      // One append: all of it, or nothing.
      const events = [...(closed === undefined ? [] : [closed.event]), event, ...after]
      if (log.events.length >= log.loseAfter)
        throw new Fault('lease_lost', 'Another runner has it.', 'Nothing to do.')
      log.windows.push(window)
      log.events.push(...structuredClone(events))
      log.keep(closed?.event.windowId ?? '', closed?.blocks ?? [])
      log.keep(window.windowId, blocks)
      return { seq: log.events.length, committed: Promise.resolve() }
    },
    flush: async () => undefined,
    async long(text): Promise<LongText> {
      if (text.length <= previewChars) return { text }
      const blob = await log.blob(Buffer.from(text))
      return { text: text.slice(0, previewChars), blob, chars: text.length }
    },
    async blob(bytes) {
      const hash = sha256(bytes)
      log.blobs.set(hash, bytes)
      return hash
    },
    async readBlob(hash) {
      const bytes = log.blobs.get(hash)
      if (bytes === undefined) throw new Fault('not_found', 'No such blob.', 'Nothing to do.')
      return bytes
    },
  }
  return log
}
