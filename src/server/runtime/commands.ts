/**
 * Commands that go on after their call, or after a restart: their output stays live, and their end is recorded with what
 * they printed. Knows no turn.
 */
import { Fault, toFact } from '../../protocol/error.ts'
import type { EventBody } from '../../protocol/event.ts'
import type { Log } from '../log.ts'
import type { CommandEnd, Sandbox } from '../sandbox/types.ts'
import type { ThreadLog } from './thread-log.ts'

/** Bytes of output that are kept as a blob. */
const maxOutputBytes = 50 * 1_048_576

export type LeftCommand = {
  commandId: string
  itemId: string
  turnId?: string
  stepId?: string
  from: number
}

export type Commands = {
  /** From now on the command's output and end are told. Must not throw. */
  watch(command: LeftCommand): void
  /** The command's end was told and recorded: what it printed need not be kept in the sandbox. Must not throw. */
  release(commandId: string): void
  running(): string[]
  has(commandId: string): boolean
  /** Lets go of all; the commands go on. */
  close(): void
}

type CommandsDeps = {
  threadId: string
  sandbox: () => Promise<Sandbox>
  threadLog: () => ThreadLog
  log: Log
  /** Whether the model still has this command as a session, whose last output it may ask for. */
  isSession(commandId: string): boolean
  /** After the end was recorded. */
  onExit(commandId: string): void
}

/** The whole output of a command that has ended, at most 50 MB. */
const readOutput = async (sandbox: Sandbox, commandId: string): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const { bytes } of sandbox.output(commandId, 0, { follow: false })) {
    pieces.push(bytes)
    size += bytes.byteLength
    if (size > maxOutputBytes) break
  }
  return Buffer.concat(pieces).subarray(0, maxOutputBytes)
}

const lostEnd: CommandEnd = { status: 'lost', exitCode: null, signal: null, timedOut: false, bytes: 0 }

const isLost = (error: unknown): boolean =>
  error instanceof Fault && ['command_lost', 'sandbox_lost', 'not_found'].includes(error.code)

export const createCommands = (deps: CommandsDeps): Commands => {
  const running = new Map<string, AbortController>()
  const released = new Set<string>()
  /** One after the other: freeing is never urgent, and the connection has better to do. */
  let freeing: Promise<unknown> = Promise.resolve()

  const free = (commandId: string): void => {
    released.delete(commandId)
    freeing = freeing.then(async () => (await deps.sandbox()).forget(commandId)).catch(() => undefined)
  }

  const follow = async (sandbox: Sandbox, command: LeftCommand, signal: AbortSignal): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const { offset, bytes } of sandbox.output(command.commandId, command.from, {
      follow: true,
      signal,
    })) {
      const text = decoder.decode(bytes, { stream: true })
      deps.threadLog().recorder.delta(command.itemId, 'output', offset, text, offset + bytes.byteLength)
    }
  }

  const record = async (command: LeftCommand, end: CommandEnd, output: Uint8Array): Promise<void> => {
    const writer = deps.threadLog()
    const outputBlob = output.byteLength === 0 ? undefined : await writer.recorder.blob(output)
    const body: EventBody<'command.exited'> = {
      commandId: command.commandId,
      itemId: command.itemId,
      status: end.status,
      exitCode: end.exitCode,
      signal: end.signal,
      bytes: end.bytes,
      ...(outputBlob === undefined ? {} : { outputBlob }),
    }
    const { committed } = await writer.emit({
      type: 'command.exited',
      windowId: writer.state().windowId,
      ...(command.turnId === undefined ? {} : { turnId: command.turnId }),
      ...(command.stepId === undefined ? {} : { stepId: command.stepId }),
      itemId: command.itemId,
      actorId: 'system',
      body,
    })
    await committed
  }

  const attend = async (command: LeftCommand, signal: AbortSignal): Promise<void> => {
    const sandbox = await deps.sandbox()
    // What does not run has no commands; looking must not start it.
    if (['absent', 'stopped', 'lost'].includes(sandbox.status())) {
      await record(command, lostEnd, new Uint8Array())
      return
    }
    const following = follow(sandbox, command, signal).catch(() => undefined)
    let end: CommandEnd
    try {
      end = await sandbox.wait(command.commandId, signal)
    } catch (error) {
      if (signal.aborted || !isLost(error)) throw error
      end = lostEnd
    }
    await following
    const output =
      end.status === 'lost'
        ? new Uint8Array()
        : await readOutput(sandbox, command.commandId).catch(() => new Uint8Array())
    if (signal.aborted) return
    await record(command, end, output)
    // The bytes are in the blob now, but a session's last output is still to be asked for.
    if (end.status !== 'lost' && (released.has(command.commandId) || !deps.isSession(command.commandId)))
      free(command.commandId)
  }

  return {
    watch: (command) => {
      if (running.has(command.commandId)) return
      const controller = new AbortController()
      running.set(command.commandId, controller)
      attend(command, controller.signal)
        .catch(async (error: unknown) => {
          if (controller.signal.aborted || !deps.threadLog().alive()) return
          deps.log.warn('a background command could not be followed', {
            threadId: deps.threadId,
            commandId: command.commandId,
            error: toFact(error),
          })
          await record(command, lostEnd, new Uint8Array())
        })
        .catch((error: unknown) => deps.log.error('the end of a command could not be recorded', { error }))
        .finally(() => {
          running.delete(command.commandId)
          if (!controller.signal.aborted) deps.onExit(command.commandId)
        })
    },
    release: (commandId) => {
      if (running.has(commandId)) released.add(commandId)
      else free(commandId)
    },
    running: () => [...running.keys()],
    has: (commandId) => running.has(commandId),
    close: () => {
      for (const controller of running.values()) controller.abort()
      running.clear()
    },
  }
}
