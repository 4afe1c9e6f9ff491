/**
 * The commands of one sandbox: start, read, wait, input, kill. One stream per command carries start, output and end in
 * a single request; further readers get streams of their own. Knows the supervisor's routes, not Docker.
 */
import type { z } from 'zod'
import { Fault } from '../../protocol/error.ts'
import { CommandAnswer, CommandsAnswer, Done } from './answers.ts'
import { CommandStream, endOf, type Reach, raceAbort } from './command-stream.ts'
import { commandLost } from './faults.ts'
import { FrameReader } from './frames.ts'
import type { LinkRequest } from './link.ts'
import type { CommandEnd, CommandState, OutputChunk, RunCommand } from './types.ts'

/** One request's worth of input, and how long a program may leave it unread before the sender gives up. */
const inputPieceBytes = 512 * 1024
const inputPatienceMs = 120_000

/** Streams of ended commands that are remembered; of older ones the spool is read. */
const rememberedStreams = 64

const route = (commandId: string, rest = ''): string => `/commands/${encodeURIComponent(commandId)}${rest}`

/** The body of the start request. Input that is long or no UTF-8 goes in requests of its own. */
const bodyOf = (command: RunCommand): { body: Record<string, unknown>; binaryInput: Uint8Array | null } => {
  const { stdin } = command
  const text = stdin === undefined ? null : Buffer.from(stdin.buffer, stdin.byteOffset, stdin.length)
  const isText =
    text !== null && text.length <= inputPieceBytes && text.equals(Buffer.from(text.toString('utf8')))
  const program =
    command.argv !== undefined
      ? { argv: command.argv }
      : command.login === true
        ? { argv: ['bash', '-lc', command.script ?? ''] }
        : { script: command.script ?? '' }
  const body = {
    id: command.commandId,
    ...program,
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    ...(command.env === undefined ? {} : { env: command.env }),
    mode: command.mode,
    ...(command.tty === undefined ? {} : { tty: command.tty }),
    ...(command.timeoutMs === undefined ? {} : { timeoutMs: command.timeoutMs }),
    ...(command.tty !== undefined
      ? {}
      : text !== null && isText
        ? { input: text.toString('utf8') }
        : { stdin: text !== null || command.keepStdin === true ? 'pipe' : 'null' }),
  }
  return { body, binaryInput: text !== null && (!isText || command.tty !== undefined) ? text : null }
}

const stateOf = (wire: z.infer<typeof CommandAnswer>): CommandState => {
  const end = wire.end === null ? null : endOf(wire.end)
  const { commandId, status, bytes } = wire
  return { commandId, status: end?.status ?? (status === 'running' ? 'running' : 'lost'), bytes, end }
}

export type Requests = {
  reach: Reach
  json<S extends z.ZodType>(request: LinkRequest, shape: S): Promise<z.infer<S>>
}

export class Commands {
  private readonly streams = new Map<string, CommandStream>()
  private readonly extra = new Set<CommandStream>()
  private readonly requests: Requests

  constructor(requests: Requests) {
    this.requests = requests
  }

  async run(command: RunCommand, signal?: AbortSignal): Promise<{ commandId: string; pid: number | null }> {
    if ((command.script === undefined) === (command.argv === undefined))
      throw new Fault(
        'bad_input',
        'A command needs a script or an argv, not both.',
        'Give exactly one of the two.',
      )
    signal?.throwIfAborted()
    const { commandId } = command
    const { body, binaryInput } = bodyOf(command)
    let stream = this.streamOf(commandId)
    const isNew = stream === undefined
    if (stream === undefined) {
      stream = new CommandStream(commandId, 0, this.requests.reach)
      this.remember(commandId, stream)
      stream.follow({ method: 'POST', path: '/commands?follow=1', json: body, repeatable: true })
    }
    try {
      const pid = await raceAbort(stream.started.promise, signal)
      if (binaryInput !== null && isNew) await this.feed(commandId, [binaryInput], command.keepStdin !== true)
      return { commandId, pid }
    } catch (error) {
      // What was never accepted is not remembered: the same id may be tried again.
      if (!signal?.aborted) this.streams.delete(commandId)
      throw error
    }
  }

  async *output(
    commandId: string,
    from: number,
    options: { follow: boolean; signal?: AbortSignal },
  ): AsyncGenerator<OutputChunk> {
    if (!options.follow) {
      yield* this.whatIsThere(commandId, from, options.signal)
      return
    }
    const main = this.streamOf(commandId)
    if (main?.holds(from)) {
      yield* main.read(from, options.signal)
      return
    }
    const own = new CommandStream(commandId, from, this.requests.reach)
    this.extra.add(own)
    try {
      yield* own.follow().read(from, options.signal)
    } finally {
      this.extra.delete(own)
      own.close()
    }
  }

  private async *whatIsThere(
    commandId: string,
    from: number,
    signal?: AbortSignal,
  ): AsyncGenerator<OutputChunk> {
    let position = from
    const { stream } = await this.reachCommand(commandId, {
      method: 'GET',
      path: route(commandId, `/output?from=${from}`),
      signal,
      repeatable: true,
    })
    const frames = new FrameReader()
    for await (const chunk of stream)
      for (const { type, offset, payload } of frames.push(chunk as Buffer)) {
        if (type !== 1 || payload.length === 0) continue
        yield offset > position
          ? { offset, bytes: payload, gap: offset - position }
          : { offset, bytes: payload }
        position = offset + payload.length
      }
  }

  async wait(commandId: string, signal?: AbortSignal): Promise<CommandEnd> {
    const main = this.streamOf(commandId)
    if (main !== undefined) return main.wait(signal)
    const state = await this.state(commandId)
    if (state.end !== null) return state.end
    const again = this.streamOf(commandId)
    if (again !== undefined) return again.wait(signal)
    const stream = new CommandStream(commandId, state.bytes, this.requests.reach)
    this.remember(commandId, stream)
    return stream.follow().wait(signal)
  }

  async list(): Promise<CommandState[]> {
    const { commands } = await this.requests.json(
      { method: 'GET', path: '/commands', repeatable: true },
      CommandsAnswer,
    )
    return commands.map(stateOf)
  }

  /** Not sent twice: bytes of input that may have arrived are not typed again. */
  async input(commandId: string, bytes: Uint8Array, close = false): Promise<void> {
    const path = route(commandId, close ? '/input?close=1' : '/input')
    await this.ask(commandId, { method: 'POST', path, body: bytes, repeatable: false }, Done)
  }

  /**
   * Sends what `source` gives to the command's input, as fast as it is read there. Answers false when the command takes
   * no more, which is no error: its end says why.
   */
  async feed(
    commandId: string,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    close: boolean,
  ): Promise<boolean> {
    const send = async (bytes: Uint8Array, last: boolean): Promise<boolean> => {
      for (let waitedMs = 0, pauseMs = 5; ; waitedMs += pauseMs, pauseMs = Math.min(250, pauseMs * 2)) {
        try {
          await this.input(commandId, bytes, last)
          return true
        } catch (error) {
          if (error instanceof Fault && error.code === 'conflict') return false
          const isFull = error instanceof Fault && error.code === 'limit_reached'
          if (!isFull || waitedMs > inputPatienceMs) throw error
          await new Promise((resolve) => setTimeout(resolve, pauseMs))
        }
      }
    }
    for await (const chunk of source)
      for (let at = 0; at < chunk.length; at += inputPieceBytes)
        if (!(await send(chunk.subarray(at, at + inputPieceBytes), false))) return false
    return close ? send(new Uint8Array(), true) : true
  }

  async kill(commandId: string): Promise<void> {
    const path = route(commandId, '/signal')
    await this.ask(commandId, { method: 'POST', path, json: { signal: 'KILL' }, repeatable: true }, Done)
  }

  async resize(commandId: string, rows: number, cols: number): Promise<void> {
    const path = route(commandId, '/resize')
    await this.ask(commandId, { method: 'POST', path, json: { rows, cols }, repeatable: true }, Done)
  }

  async forget(commandId: string): Promise<void> {
    this.streams.get(commandId)?.close()
    this.streams.delete(commandId)
    try {
      await this.requests.json({ method: 'DELETE', path: route(commandId), repeatable: true }, Done)
    } catch (error) {
      // Forgotten already is what was asked for.
      if (!(error instanceof Fault && (error.code === 'not_found' || error.code === 'command_lost')))
        throw error
    }
  }

  /** The container is gone: nobody waits any longer. `why` per command, or one Fault for all. */
  lose(): void {
    for (const [commandId, stream] of this.streams) stream.fail(commandLost(commandId))
    for (const stream of this.extra) stream.fail(commandLost('of an open reader'))
    this.streams.clear()
  }

  /** Lets go of all streams; the commands go on. */
  close(error: unknown): void {
    for (const stream of [...this.streams.values(), ...this.extra]) stream.fail(error)
    this.streams.clear()
  }

  private async state(commandId: string): Promise<CommandState> {
    return stateOf(
      await this.ask(commandId, { method: 'GET', path: route(commandId), repeatable: true }, CommandAnswer),
    )
  }

  private async ask<S extends z.ZodType>(
    commandId: string,
    request: LinkRequest,
    shape: S,
  ): Promise<z.infer<S>> {
    return this.requests.json(request, shape).catch((error) => {
      throw error instanceof Fault && error.code === 'not_found' ? commandLost(commandId) : error
    })
  }

  private async reachCommand(commandId: string, request: LinkRequest): ReturnType<Reach> {
    return this.requests.reach(request).catch((error) => {
      throw error instanceof Fault && error.code === 'not_found' ? commandLost(commandId) : error
    })
  }

  /** A stream that gave up is no reason to give up the command: whoever asks next asks the container. */
  private streamOf(commandId: string): CommandStream | undefined {
    const stream = this.streams.get(commandId)
    if (stream?.failed !== true) return stream
    this.streams.delete(commandId)
    return undefined
  }

  private remember(commandId: string, stream: CommandStream): void {
    this.streams.set(commandId, stream)
    if (this.streams.size <= rememberedStreams) return
    for (const [id, old] of this.streams) {
      if (this.streams.size <= rememberedStreams) return
      if (old.end === null) continue
      old.close()
      this.streams.delete(id)
    }
  }
}
