// All commands of this boot: made once per id, queued when too many run, kept until freed. Writes the frame stream.
import { statSync } from 'node:fs'
import type { ServerHttp2Stream } from 'node:http2'
import { Command } from './command.ts'
import { asFailure, badInput, Failure, notFound } from './failure.ts'
import type { LauncherLink } from './launcher-link.ts'
import {
  CONTAINER,
  type CommandRequest,
  type CommandState,
  FRAME,
  FRAME_HEADER_BYTES,
  type FrameType,
} from './protocol.ts'
import { scriptOf } from './shell-words.ts'

/** Above it commands wait for a place: each one costs at least two processes of the container's limit. */
const RUNNING_MAX = 96
/** Ended commands that nobody freed: the oldest go first. */
const ENDED_MAX = 300
const FREED_IDS_MAX = 10_000
const idPattern = /^[A-Za-z0-9_-]{1,64}$/

export class Commands {
  private readonly link: LauncherLink
  private readonly folder: string
  private readonly commands = new Map<string, Command>()
  private readonly freed = new Set<string>()
  private readonly waiting: (() => void)[] = []
  private running = 0
  private made = 0

  /** @param folder where spools lie; empty at the start */
  constructor(link: LauncherLink, folder: string) {
    this.link = link
    this.folder = folder
  }

  /** Starts a command, or finds the one that was started under this id. @throws Failure */
  start(request: CommandRequest): Command {
    const id = request.id ?? `cmd_local_${++this.made}`
    if (!idPattern.test(id)) throw badInput('A command id is made of letters, digits, _ and -.')
    const known = this.commands.get(id)
    if (known) return known
    if (this.freed.has(id)) throw new Failure('conflict', 'That command ran and was freed.', 'Use a new id.')
    const command = this.launch(id, request)
    this.commands.set(id, command)
    command.started.catch((error: unknown) => {
      this.commands.delete(id)
      // It may have begun: under this id it never runs again. What never began may be asked for anew.
      if (error instanceof Failure && error.code === 'command_lost') this.freed.add(id)
    })
    return command
  }

  /** A command of the supervisor's own: not listed, gone when it has ended. */
  startHidden(request: CommandRequest): Command {
    return this.launch(`hidden_${++this.made}`, request)
  }

  get(id: string): Command {
    const command = this.commands.get(id)
    if (command) return command
    if (this.freed.has(id))
      throw new Failure('command_lost', 'That command was freed.', 'Read its stored output.')
    throw notFound(`There is no command ${id} since this container was started.`)
  }

  list(): CommandState[] {
    return [...this.commands.values()].map((command) => command.state())
  }

  free(id: string): void {
    const command = this.get(id)
    if (!command.end) throw new Failure('conflict', 'The command still runs.', 'Kill it first.')
    this.forget(id, command)
  }

  private forget(id: string, command: Command): void {
    command.spool.close()
    this.commands.delete(id)
    this.freed.add(id)
    if (this.freed.size > FREED_IDS_MAX) for (const first of this.freed) return void this.freed.delete(first)
  }

  private launch(id: string, request: CommandRequest): Command {
    const cwd = request.cwd ?? CONTAINER.workspace
    if (!cwd.startsWith('/')) throw badInput('The working folder must be an absolute path.')
    if (request.tty && (request.input !== undefined || request.stdin))
      throw badInput('A command on a terminal takes neither stdin nor input; send input to it.')
    const script = scriptOf(request, cwd)
    let isFolder: boolean
    try {
      isFolder = statSync(cwd).isDirectory()
    } catch (error) {
      throw asFailure(error, `working folder ${cwd}`)
    }
    if (!isFolder) throw badInput(`${cwd} is no folder.`)
    const command = new Command(id, request, this.link, `${this.folder}/${id}`, (over) => this.over(over))
    if (this.running < RUNNING_MAX) {
      this.running++
      command.launch(script)
    } else
      this.waiting.push(() => {
        if (!command.end) {
          this.running++
          command.launch(script)
        }
      })
    return command
  }

  private over(command: Command): void {
    if (!command.wasLaunched) return
    this.running--
    while (this.running < RUNNING_MAX && this.waiting.length > 0) this.waiting.shift()?.()
    let surplus = this.commands.size - ENDED_MAX
    for (const [id, old] of this.commands) {
      if (surplus <= 0) break
      if (old.end && !old.state().background) this.forget(id, old)
      surplus--
    }
  }
}

const frame = (type: FrameType, offset: number, payload: Buffer): Buffer => {
  const header = Buffer.allocUnsafe(FRAME_HEADER_BYTES)
  header.writeUInt8(type, 0)
  header.writeBigUInt64BE(BigInt(offset), 1)
  header.writeUInt32BE(payload.length, 9)
  // Small frames leave as one piece: one HTTP/2 frame, one write.
  return Buffer.concat([header, payload])
}

/** Writes output from an offset until the end, or until what is there now; as fast as the reader reads. */
export const streamOutput = (
  command: Command,
  stream: ServerHttp2Stream,
  options: { from: number; follow: boolean; withStart: boolean },
): void => {
  let { from } = options
  let blocked = false
  let started = !options.withStart
  const send = (bytes: Buffer): void => {
    if (!stream.write(bytes)) blocked = true
  }
  const pump = (): void => {
    if (stream.destroyed || stream.writableEnded) return
    if (!started) {
      const { pid } = command.state()
      if (pid === 0 && !command.end) return
      started = true
      send(frame(FRAME.started, 0, Buffer.from(JSON.stringify({ commandId: command.id, pid }))))
    }
    while (!blocked) {
      const part = command.spool.read(from)
      if (!part) break
      if (part.type === 'gap') {
        send(frame(FRAME.gap, from, Buffer.from(JSON.stringify({ bytes: part.missing }))))
        from += part.missing
      } else {
        send(frame(FRAME.data, from, part.bytes))
        from += part.bytes.length
      }
    }
    if (blocked) return
    if (!command.end && options.follow) return
    stop()
    if (command.end) stream.end(frame(FRAME.end, from, Buffer.from(JSON.stringify(command.end))))
    else stream.end()
  }
  const stop = command.watch(pump)
  stream.on('drain', () => {
    blocked = false
    pump()
  })
  stream.on('close', stop)
  pump()
}
