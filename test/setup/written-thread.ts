/**
 * A thread that is written past the runtime: what its heirs say happened is numbered and held, with windows, blocks,
 * steps and blobs, until it is appended. Knows how a thread lies in the store, not what happens in one.
 */
import { sha256 } from '../../src/lib/sha256.ts'
import type { NewEvent, ThreadEvent } from '../../src/protocol/event.ts'
import { newId } from '../../src/protocol/ids.ts'
import { defaultThreadSettings } from '../../src/protocol/settings.ts'
import type { WindowFrozen } from '../../src/server/context/types.ts'
import { openaiResponses } from '../../src/server/providers/openai-responses.ts'
import type { PromptBlock, WireBlock } from '../../src/server/providers/types.ts'
import type { Store, ThreadAppend, ThreadState } from '../../src/server/store/types.ts'
import { traits } from './scripted-provider.ts'
import { freshState } from './store.ts'

type Held = Required<
  Pick<ThreadAppend, 'events' | 'windows' | 'blocks' | 'steps' | 'stepEnds' | 'blobs' | 'refs'>
>
const nothingHeld = (): Held => ({
  events: [],
  windows: [],
  blocks: [],
  steps: [],
  stepEnds: [],
  blobs: [],
  refs: [],
})

/** Whose thread it is, under which lease it is written, and of which model its windows are. */
export type WrittenThreadOptions = {
  store: Store
  leaseOwner: string
  ownerId: string
  model: string
  maxOutputTokens: number
}

export class WrittenThread {
  held = nothingHeld()
  seq = 1
  at = Date.UTC(2026, 10, 2, 9)
  counts = { turns: 0, steps: 0, windows: 0 }
  windowId = newId('win')
  turnId: string | undefined
  /** What its projection says of the window that is open. */
  context: Pick<ThreadState, 'contextTokens' | 'contextLimit'> = { contextTokens: null, contextLimit: null }
  /** The blocks of the window that is open. */
  wire: WireBlock[] = []
  readonly threadId = newId('thr')
  readonly ownerId: string
  readonly frozen: WindowFrozen
  readonly #store: Store
  readonly #leaseOwner: string
  readonly #envelope: Uint8Array

  constructor({ store, leaseOwner, ownerId, model, maxOutputTokens }: WrittenThreadOptions) {
    this.#store = store
    this.#leaseOwner = leaseOwner
    this.ownerId = ownerId
    this.frozen = { wire: 'openai-responses', model, family: model, thinking: false, traits }
    this.#envelope = openaiResponses.encodeEnvelope(
      {
        model,
        effort: null,
        thinking: false,
        maxOutputTokens,
        promptCacheKey: model,
        parallelToolCalls: true,
      },
      traits,
    )
    this.blob(this.#envelope)
  }

  async open(projectId: string, title: string): Promise<void> {
    const { threadId, ownerId, windowId, at } = this
    const first: ThreadEvent = {
      threadId,
      seq: 1,
      type: 'thread.created',
      windowId,
      actorId: ownerId,
      at,
      body: { projectId, title, settings: defaultThreadSettings },
    }
    await this.#store.threads.create({
      threadId,
      projectId,
      ownerId,
      title,
      fromThreadId: null,
      seed: null,
      lease: { ownerId: this.#leaseOwner },
      first,
      state: freshState(windowId),
    })
  }

  /** Appends what is held. `lastLine` is what lists show of the thread. */
  async flush(lastLine: string): Promise<void> {
    const { threadId, counts, seq, at, windowId, context } = this
    await this.#store.leases.renew(this.#leaseOwner)
    const { lost } = await this.#store.log.append(this.#leaseOwner, [
      {
        threadId,
        fence: 1,
        state: {
          ...freshState(windowId),
          head: seq,
          turns: counts.turns,
          steps: counts.steps,
          windowIndex: Math.max(0, counts.windows - 1),
          lastLine: lastLine.slice(0, 200),
          updatedAt: at,
          ...context,
        },
        ...this.held,
      },
    ])
    if (lost.length > 0) throw new Error('the lease was lost while a thread was written')
    this.held = nothingHeld()
  }

  /** Stores the bytes under the thread; answers with their hash. */
  blob(bytes: Uint8Array | string): string {
    const stored = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    const hash = sha256(stored)
    this.held.blobs.push({ hash, bytes: stored })
    this.held.refs.push(hash)
    return hash
  }

  /** The log's next event, of this moment. */
  add(event: NewEvent): void {
    this.seq += 1
    this.held.events.push({ ...event, threadId: this.threadId, seq: this.seq, at: this.at } as ThreadEvent)
  }

  /** An event of the turn that runs, whose body nobody checks: hostile bodies are the point of some heirs. */
  event(type: NewEvent['type'], body: object, about: { stepId?: string; itemId?: string } = {}): void {
    this.add({
      type,
      windowId: this.windowId,
      ...(this.turnId === undefined ? {} : { turnId: this.turnId }),
      ...about,
      actorId: type === 'item.completed' ? 'agent' : 'system',
      body,
    } as unknown as NewEvent)
  }

  /** The window's next block; answers with its tokens, about a quarter of its bytes. */
  block(block: PromptBlock, reason: string, itemId: string | null = null, kind: string = block.kind): number {
    const wire = openaiResponses.encodeBlock(block, this.frozen.traits)
    if (wire === null) return 0
    const tokens = Math.ceil(wire.bytes.byteLength / 4)
    this.held.blocks.push({
      windowId: this.windowId,
      idx: this.wire.length,
      kind,
      itemId,
      callId: 'callId' in block ? block.callId : null,
      hash: sha256(JSON.stringify(block)),
      wire: wire.bytes,
      tokens,
      reason,
    })
    this.wire.push(wire)
    return tokens
  }

  /** Another window without blocks; the event that tells of it is the heir's, since it counts them. */
  nextWindow(): void {
    if (this.counts.windows > 0) this.windowId = newId('win')
    this.wire = []
    this.held.windows.push({ windowId: this.windowId, index: this.counts.windows, frozen: this.frozen })
    this.counts.windows += 1
  }

  /** The turn's step of this index begins: what goes out is all of the window. */
  beginStep(index: number, estimatedTokens: number): string {
    const stepId = newId('stp')
    const blockCount = this.wire.length
    const bodySha256 = sha256(openaiResponses.assembleBody(this.#envelope, this.wire, []))
    this.event(
      'step.started',
      { index, blockCount, newBlocks: blockCount, bodySha256, estimatedTokens },
      { stepId },
    )
    this.held.steps.push({
      stepId,
      windowId: this.windowId,
      turnId: this.turnId ?? '',
      index,
      blockCount,
      bodySha256,
      envelopeHash: sha256(this.#envelope),
      cacheMarks: [],
      model: this.frozen.model,
      startedAt: this.at,
    })
    this.counts.steps += 1
    return stepId
  }
}

/** Takes a lease for writing, and gives it back when what is to be written is. */
export const withLease = async <T>(store: Store, work: (leaseOwner: string) => Promise<T>): Promise<T> => {
  const ownerId = newId('own')
  await store.leases.register({ ownerId, installId: 'written', worker: ownerId })
  try {
    return await work(ownerId)
  } finally {
    await store.leases.release(ownerId)
  }
}
