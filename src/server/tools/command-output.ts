/**
 * Follows a running command for as long as a call waits: live pieces go to the progress sink, the first and last bytes
 * are kept for the model. Knows how to wait for a sandbox's command, not which tool asks.
 */
import type { ToolDetail } from '../../protocol/item.ts'
import type { CommandEnd } from '../sandbox/types.ts'
import { outputBuffer } from './output-buffer.ts'
import { terminalText } from './terminal-text.ts'
import { maxFullBytes, truncate } from './truncate.ts'
import type { EndedCommand, ToolContext } from './types.ts'

/** After a command's end, for what is still on its way through the pipe. */
const graceMs = 100

export type Followed = {
  commandId: string
  /** Null while the command goes on. */
  end: CommandEnd | null
  /** What was printed from `from` to `nextOffset`. */
  head: Uint8Array
  tail: Uint8Array
  missing: number
  from: number
  nextOffset: number
  wallMs: number
}

/** Why the waiting ends; made once, since every call ends by it. */
const over = new Error('the call is over')

/** Ends when the command does, when the time is up, or when the turn is stopped. */
export const followCommand = async (
  context: Pick<ToolContext, 'sandbox' | 'clock' | 'progress' | 'signal'>,
  command: { commandId: string; from: number; yieldMs: number },
): Promise<Followed> => {
  const { sandbox, clock, progress, signal } = context
  const { commandId, from } = command
  const startedAt = clock.now()
  const buffer = outputBuffer()
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const until = new AbortController()
  const stop = (): void => until.abort(over)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  let nextOffset = from
  let end: CommandEnd | null = null
  let failure: unknown = null

  const reading = (async () => {
    for await (const chunk of sandbox.output(commandId, from, { follow: true, signal: until.signal })) {
      if (chunk.gap) buffer.skip(chunk.gap)
      buffer.add(chunk.bytes)
      const text = decoder.decode(chunk.bytes, { stream: true })
      nextOffset = chunk.offset + chunk.bytes.length
      if (text !== '') progress.output(commandId, chunk.offset, text, nextOffset)
    }
  })()
  const waiting = sandbox.wait(commandId, until.signal).then((result) => {
    end = result
  })
  /** Time up and stop are no failures; a command that nobody knows is. */
  const settled = (work: Promise<unknown>): Promise<void> =>
    work.then(
      () => undefined,
      (error: unknown) => {
        if (!until.signal.aborted) failure ??= error
      },
    )
  const timer = new AbortController()
  const timeUp = clock.sleep(command.yieldMs, timer.signal).catch(() => undefined)
  const read = settled(reading)
  await Promise.race([settled(waiting), timeUp])
  if (end !== null && failure === null)
    await Promise.race([read, clock.sleep(graceMs, timer.signal).catch(() => undefined)])
  stop()
  await Promise.race([read, clock.sleep(graceMs, timer.signal).catch(() => undefined)])
  timer.abort(over)
  signal.removeEventListener('abort', stop)
  if (failure !== null) throw failure
  return { commandId, end, ...buffer.parts(), from, nextOffset, wallMs: clock.now() - startedAt }
}

/** Raw bytes of a finished command for the log: from memory when the call saw all of them. */
export const endedCommand = (
  sandbox: ToolContext['sandbox'],
  followed: Followed & { end: CommandEnd },
): EndedCommand => ({
  commandId: followed.commandId,
  end: followed.end,
  readOutput: async () => {
    if (followed.from === 0 && followed.missing === 0 && followed.nextOffset >= followed.end.bytes)
      return followed.head
    const pieces: Uint8Array[] = []
    let size = 0
    for await (const chunk of sandbox.output(followed.commandId, 0, { follow: false })) {
      pieces.push(chunk.bytes.subarray(0, maxFullBytes - size))
      size += chunk.bytes.length
      if (size >= maxFullBytes) break
    }
    return Buffer.concat(pieces)
  },
})

const read = (bytes: Uint8Array): string => {
  const terminal = terminalText()
  terminal.write(bytes)
  return terminal.text()
}

const ending = (end: CommandEnd): string => {
  if (end.status === 'lost') return 'The command was lost: its container went away before it ended.'
  if (end.timedOut) return 'The command was killed because its time was up.'
  return end.exitCode === null ? `Killed by ${end.signal ?? 'a signal'}` : `Exit code: ${end.exitCode}`
}

/** The model's text and the whole of it, as far as it was collected. */
export const outputText = (
  followed: Followed,
  running: string,
  maxTokens: number,
): { text: string; forModel: string } => {
  const head = read(followed.head)
  const tail = followed.missing === 0 ? '' : read(followed.tail)
  const gap = followed.missing === 0 ? '' : `\n[… ${followed.missing} bytes …]\n`
  const cut = truncate(
    head,
    maxTokens,
    followed.missing === 0 ? undefined : { tail, bytes: followed.missing },
  )
  const top = [
    followed.end === null ? running : ending(followed.end),
    `Wall time: ${(followed.wallMs / 1_000).toFixed(2)} s`,
    ...(cut.removedBytes > 0 ? [`Output: ${cut.totalBytes} bytes, shown in part`] : ['Output:']),
  ].join('\n')
  return { text: `${top}\n${head}${gap}${tail}`, forModel: `${top}\n${cut.text}` }
}

/** Characters of a command beside its result; the call's arguments have all of it. */
const detailChars = 800

export const commandDetail = (
  followed: Followed,
  command: { command: string; cwd?: string },
): Extract<ToolDetail, { type: 'command' }> => ({
  type: 'command',
  commandId: followed.commandId,
  command: command.command.slice(0, detailChars).toWellFormed(),
  ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
  ...(followed.end === null
    ? {}
    : { exitCode: followed.end.exitCode, signal: followed.end.signal, timedOut: followed.end.timedOut }),
  running: followed.end === null,
  bytes: followed.end?.bytes ?? followed.nextOffset,
})
