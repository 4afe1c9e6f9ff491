/**
 * One command's output as it comes: a stream that survives lost connections by asking again from its offset. Holds
 * what nobody has read yet, within a bound; then the command's own pipe fills. Knows frames, not containers.
 */
import type { ClientHttp2Stream } from 'node:http2'
import { FRAME, type CommandEnd as WireEnd } from '../../../sandbox/supervisor/protocol.ts'
import { Fault } from '../../protocol/error.ts'
import { commandLost, disconnected } from './faults.ts'
import { type Frame, FrameReader, frameJson } from './frames.ts'
import type { LinkRequest } from './link.ts'
import type { CommandEnd, OutputChunk } from './types.ts'

/** Bytes held for a reader that is not there or slow. */
const heldBytes = 256 * 1024
const attempts = 10

/** Opens a request on the sandbox's connection, which is made again if it broke; never starts a container. */
export type Reach = (request: LinkRequest) => Promise<{ stream: ClientHttp2Stream }>

/** The end as the port tells it. What comes from the container is untrusted: each field is checked. */
export const endOf = (wire: Partial<Record<keyof WireEnd, unknown>>): CommandEnd => ({
  status: wire.lost === true ? 'lost' : wire.killed === true || wire.timedOut === true ? 'killed' : 'exited',
  exitCode: Number.isInteger(wire.exitCode) ? (wire.exitCode as number) : null,
  signal: typeof wire.signal === 'string' ? wire.signal.slice(0, 20) : null,
  timedOut: wire.timedOut === true,
  bytes: Number.isSafeInteger(wire.bytes) ? (wire.bytes as number) : 0,
})

type Deferred<T> = { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void }
const deferred = <T>(): Deferred<T> => {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  // A rejection that nobody waits for is no defect.
  promise.catch(() => undefined)
  return { promise, resolve, reject }
}

export class CommandStream {
  /** Resolves with the process id when the command was accepted. */
  readonly started = deferred<number | null>()
  readonly ended = deferred<CommandEnd>()
  end: CommandEnd | null = null
  private failure: unknown = null
  private held: OutputChunk[] = []
  private heldSize = 0
  /** Offset after the newest byte that arrived, and after the newest that was taken or dropped. */
  private arrived: number
  private taken: number
  private reading = false
  private waiters = 0
  private closed = false
  private stirred = deferred<void>()
  private stream: ClientHttp2Stream | null = null
  private readonly commandId: string
  private readonly reach: Reach

  constructor(commandId: string, from: number, reach: Reach) {
    this.commandId = commandId
    this.arrived = from
    this.taken = from
    this.reach = reach
  }

  /** Follows the command to its end; `first` = the request that starts it, absent = it runs already. */
  follow(first?: LinkRequest): this {
    this.pump(first).catch((error) => this.fail(error))
    return this
  }

  /** Gives everything up: readers and waiters get `error`. */
  fail(error: unknown): void {
    if (this.end !== null || this.failure !== null) return
    this.failure = error
    this.started.reject(error)
    this.ended.reject(error)
    this.close()
  }

  /** Lets go of the connection; the command goes on. */
  close(): void {
    this.closed = true
    this.stream?.close(8)
    this.stir()
  }

  get failed(): boolean {
    return this.failure !== null
  }

  /** Whether a reader could go on here at `offset` without asking the container. */
  holds(offset: number): boolean {
    return !this.reading && !this.closed && offset >= this.taken && offset <= this.arrived
  }

  async wait(signal?: AbortSignal): Promise<CommandEnd> {
    this.waiters += 1
    this.stir()
    try {
      return await raceAbort(this.ended.promise, signal)
    } finally {
      this.waiters -= 1
    }
  }

  /** What arrives from `from` on, until the end. One reader at a time; `holds(from)` must be true. */
  async *read(from: number, signal?: AbortSignal): AsyncGenerator<OutputChunk> {
    this.reading = true
    try {
      for (;;) {
        signal?.throwIfAborted()
        const chunk = this.held.shift()
        if (chunk !== undefined) {
          this.heldSize -= chunk.bytes.length
          this.taken = chunk.offset + chunk.bytes.length
          this.stir()
          const skip = Math.max(0, from - chunk.offset)
          if (skip === 0) yield chunk
          else if (skip < chunk.bytes.length) yield { offset: from, bytes: chunk.bytes.subarray(skip) }
          continue
        }
        if (this.failure !== null) throw this.failure
        if (this.end !== null) return
        await raceAbort(this.stirred.promise, signal)
      }
    } finally {
      this.reading = false
      this.stir()
    }
  }

  private stir(): void {
    const before = this.stirred
    this.stirred = deferred<void>()
    before.resolve()
  }

  private async pump(first?: LinkRequest): Promise<void> {
    let opening = first
    for (let failed = 0; !this.closed; ) {
      const before = this.arrived
      try {
        const { stream } = await this.reach(opening ?? this.request())
        this.stream = stream
        if (this.closed) stream.close(8)
        const frames = new FrameReader()
        for await (const chunk of stream) {
          for (const frame of frames.push(chunk as Buffer)) if (await this.take(frame)) return
          if (this.closed) return
        }
      } catch (error) {
        if (error instanceof Fault && error.code !== 'sandbox_unavailable')
          throw error.code === 'not_found' && opening === undefined ? commandLost(this.commandId) : error
        if (error instanceof Fault && failed + 1 >= attempts) throw error
      }
      // The stream ended without the command's end: the connection broke. An accepted command is only followed.
      failed = this.arrived > before ? 0 : failed + 1
      if (failed >= attempts) throw disconnected()
      if (opening === undefined || this.accepted) opening = undefined
      if (failed > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(1_000, 25 * 2 ** failed)))
    }
  }

  private accepted = false

  private request(): LinkRequest {
    return {
      method: 'GET',
      path: `/commands/${encodeURIComponent(this.commandId)}/output?from=${this.arrived}&follow=1`,
      repeatable: true,
    }
  }

  /** True: this was the end. */
  private async take(frame: Frame): Promise<boolean> {
    if (frame.type === FRAME.started) {
      this.accepted = true
      const { pid } = frameJson(frame)
      this.started.resolve(Number.isInteger(pid) ? (pid as number) : null)
      return false
    }
    if (frame.type === FRAME.end) {
      this.end = endOf(frameJson(frame))
      this.started.resolve(null)
      this.ended.resolve(this.end)
      this.stir()
      return true
    }
    if (frame.type === FRAME.gap) {
      const { bytes } = frameJson(frame)
      if (Number.isSafeInteger(bytes)) this.arrived = Math.max(this.arrived, frame.offset + (bytes as number))
      return false
    }
    const known = Math.max(0, this.arrived - frame.offset)
    if (known >= frame.payload.length) return false
    const bytes = frame.payload.subarray(known)
    const offset = frame.offset + known
    const last = this.held.at(-1)
    const before = last === undefined ? this.taken : last.offset + last.bytes.length
    this.held.push(offset > before ? { offset, bytes, gap: offset - before } : { offset, bytes })
    this.heldSize += bytes.length
    this.arrived = offset + bytes.length
    this.stir()
    await this.room()
    return false
  }

  /** Waits while too much is held. With nobody reading and somebody waiting for the end, it is dropped: the spool has it. */
  private async room(): Promise<void> {
    while (this.heldSize > heldBytes && !this.closed) {
      if (!this.reading && this.waiters > 0) {
        this.held = []
        this.heldSize = 0
        this.taken = this.arrived
        return
      }
      await this.stirred.promise
    }
  }
}

/** The promise, or the signal's reason, whichever is first. */
export const raceAbort = <T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (signal === undefined) return promise
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
