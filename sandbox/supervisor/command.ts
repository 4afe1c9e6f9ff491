// One command's life: its pipes, its spool, its end. Knows the launcher's jobs, not HTTP.
import { constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { constants as system } from 'node:os'
import { badInput, Failure, spawnFailure } from './failure.ts'
import type { Job, LauncherLink } from './launcher-link.ts'
import type { CommandEnd, CommandRequest, CommandState, SignalRequest } from './protocol.ts'
import { Spool } from './spool.ts'

/** A background child may hold the output open: after the shell's end we wait this long for silence. */
const GRACE_MS = 50
/** What may still be in the pipe from before the shell's end; having read as much, we have read all of it. */
const PIPE_BYTES = 256 * 1024
/** Input that waits for a program to read it; more is refused, so that it cannot fill the memory. */
const INPUT_MAX_BYTES = 4 * 1024 * 1024

const signalNames = new Map(Object.entries(system.signals).map(([name, number]) => [number, name]))

export class Command {
  readonly id: string
  readonly spool: Spool
  /** Resolves with the pid when the shell exists; rejects with a Failure when it could not be started. */
  readonly started: Promise<number>
  end: CommandEnd | null = null
  private readonly request: CommandRequest
  private readonly link: LauncherLink
  private readonly onOver: (command: Command) => void
  private readonly startedAt = new Date()
  private readonly began = performance.now()
  private pid = 0
  private job = 0
  private background = true
  private settle: { resolve: (pid: number) => void; reject: (failure: Failure) => void }
  private input: Socket | undefined
  private outputEnded = false
  private exit: { status: number | null } | undefined
  private sinceExit = 0
  private quiet: NodeJS.Timeout | undefined
  private timer: NodeJS.Timeout | undefined
  private killAsked = false
  private timedOut = false
  private readonly watchers = new Set<() => void>()
  private killWaiters: (() => void)[] = []

  /** @param onOver called once, when it has ended (or never began) and no longer counts as running. */
  constructor(
    id: string,
    request: CommandRequest,
    link: LauncherLink,
    spoolPath: string,
    onOver: (command: Command) => void,
  ) {
    this.id = id
    this.request = request
    this.link = link
    this.spool = new Spool(spoolPath)
    this.onOver = onOver
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    promise.catch(() => {})
    this.started = promise
    this.settle = { resolve, reject }
  }

  get wasLaunched(): boolean {
    return this.job !== 0
  }

  launch(script: Buffer): void {
    if (this.end) return
    const job: Job = {
      started: (pid, inputPath, outputPath) => this.begin(pid, inputPath, outputPath),
      failed: (errno) => this.refuse(spawnFailure(errno)),
      exited: (status) => this.exited({ status }),
      killed: () => this.answerKills(),
      finished: () => {
        this.background = false
        this.answerKills()
      },
      lost: () => {
        this.background = false
        if (this.pid === 0) {
          const next = 'Run it again if it is safe to run twice.'
          this.refuse(new Failure('command_lost', 'The launcher ended while the command was started.', next))
        } else this.exited({ status: null })
        this.answerKills()
      },
    }
    this.job = this.link.run(job, this.request.mode, this.request.tty, script)
    if (this.request.timeoutMs === undefined) return
    this.timer = setTimeout(() => {
      this.timedOut = true
      this.link.kill(this.job)
    }, this.request.timeoutMs)
  }

  /** Resolves at the end, however it ended. */
  get ended(): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!this.end) return
        stop()
        resolve()
      }
      const stop = this.watch(look)
      look()
    })
  }

  /** Called after each change: new output, or the end. The answer stops it. */
  watch(onChange: () => void): () => void {
    this.watchers.add(onChange)
    return () => this.watchers.delete(onChange)
  }

  /**
   * Resolves with how many bytes were taken, once they are handed to the pipe or queued for it.
   * @throws Failure `bad_input` without an input, `conflict` after the end, `limit_reached` when nothing reads
   */
  feed(bytes: Buffer, close: boolean): number {
    if (!this.request.tty && this.request.stdin !== 'pipe')
      throw badInput('The command was started without an input; start it with stdin "pipe" or on a terminal.')
    if (this.end || !this.input || this.input.writableEnded)
      throw new Failure('conflict', 'The command takes no more input.', 'Look at its state and output.')
    if (this.input.writableLength + bytes.length > INPUT_MAX_BYTES)
      throw new Failure('limit_reached', 'The command does not read its input.', 'Send it later, or end it.')
    this.input.write(bytes)
    if (close) this.input.end()
    return bytes.length
  }

  /** KILL resolves when nothing of the tree is left. */
  async signal(signal: SignalRequest['signal']): Promise<boolean> {
    if (signal !== 'KILL') {
      const number = system.signals[`SIG${signal}`]
      if (this.end || this.pid === 0) return false
      this.link.signal(this.job, number)
      return true
    }
    if (!this.background) return false
    if (this.job === 0) {
      this.killAsked = true
      this.finish({ exitCode: null, signal: 'SIGKILL', lost: false })
      return true
    }
    if (!this.end) this.killAsked = true
    await new Promise<void>((resolve) => {
      this.killWaiters.push(resolve)
      this.link.kill(this.job)
    })
    return true
  }

  resize(rows: number, cols: number): void {
    if (!this.request.tty) throw badInput('The command has no terminal.')
    if (!this.end) this.link.resize(this.job, rows, cols)
  }

  state(): CommandState {
    const { end } = this
    const ended = end?.lost ? 'lost' : end?.killed || end?.timedOut || end?.signal ? 'killed' : 'exited'
    return {
      commandId: this.id,
      pid: this.pid,
      status: end ? ended : 'running',
      mode: this.request.mode,
      tty: this.request.tty !== undefined,
      startedAt: this.startedAt.toISOString(),
      bytes: this.spool.total,
      gapBytes: this.spool.gapBytes,
      end,
      background: this.background && end !== null,
    }
  }

  private begin(pid: number, inputPath: string, outputPath: string): void {
    this.pid = pid
    this.tell()
    try {
      const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants
      const output = new Socket({ fd: openSync(outputPath, O_RDONLY | O_NONBLOCK), writable: false })
      output.on('data', (bytes) => this.take(Buffer.from(bytes)))
      output.on('error', () => output.destroy())
      output.on('close', () => this.outputDone())
      const { tty, stdin, input } = this.request
      if (tty || stdin === 'pipe' || input !== undefined) {
        const socket = new Socket({
          fd: openSync(inputPath, O_WRONLY | O_NONBLOCK),
          readable: false,
          writable: true,
        })
        // A program that closes its input is no fault.
        socket.on('error', () => socket.destroy())
        this.input = socket
        if (input !== undefined) socket.end(input)
      }
    } catch (error) {
      this.link.kill(this.job)
      this.refuse(new Failure('internal', `The command's pipes could not be opened: ${error}`, 'Try again.'))
      return
    } finally {
      this.link.opened(this.job)
    }
    this.settle.resolve(pid)
  }

  private take(bytes: Buffer): void {
    // What a background child writes after the end is read, so that it can go on, and dropped.
    if (this.end) return
    this.spool.append(bytes)
    if (this.exit) this.sinceExit += bytes.length
    this.tell()
    if (this.sinceExit >= PIPE_BYTES) this.conclude()
  }

  private outputDone(): void {
    this.outputEnded = true
    if (this.exit) this.conclude()
  }

  private exited(exit: { status: number | null }): void {
    if (this.exit || this.end) return
    this.exit = exit
    if (this.outputEnded) this.conclude()
    else this.awaitSilence()
  }

  /**
   * Two timers in a row without output between them: after a moment in which this process was held up, a timer may
   * fire before what already waits in the pipe is read, the second one cannot.
   */
  private awaitSilence(second = false): void {
    const before = this.sinceExit
    this.quiet = setTimeout(() => {
      if (this.sinceExit !== before) this.awaitSilence()
      else if (second) this.conclude()
      else this.awaitSilence(true)
    }, GRACE_MS / 2)
  }

  private conclude(): void {
    if (!this.exit || this.end) return
    const { status } = this.exit
    if (status === null) this.finish({ exitCode: null, signal: null, lost: true })
    else {
      const signal = status & 0x7f
      const name = signal === 0 ? null : (signalNames.get(signal) ?? `SIG${signal}`)
      this.finish({ exitCode: signal === 0 ? (status >> 8) & 0xff : null, signal: name, lost: false })
    }
  }

  private finish(how: { exitCode: number | null; signal: string | null; lost: boolean }): void {
    clearTimeout(this.timer)
    clearTimeout(this.quiet)
    this.end = {
      ...how,
      timedOut: this.timedOut,
      killed: this.killAsked || this.timedOut,
      bytes: this.spool.total,
      durationMs: Math.round(performance.now() - this.began),
    }
    this.input?.destroy()
    if (this.job === 0) this.background = false
    this.settle.resolve(this.pid)
    this.tell()
    this.onOver(this)
  }

  private refuse(failure: Failure): void {
    if (this.end) return
    clearTimeout(this.timer)
    this.background = false
    this.settle.reject(failure)
    this.end = {
      exitCode: null,
      signal: null,
      timedOut: false,
      killed: this.killAsked,
      lost: true,
      bytes: this.spool.total,
      durationMs: Math.round(performance.now() - this.began),
    }
    this.tell()
    this.onOver(this)
  }

  private answerKills(): void {
    const waiters = this.killWaiters
    this.killWaiters = []
    for (const resolve of waiters) resolve()
  }

  private tell(): void {
    for (const watcher of [...this.watchers]) watcher()
  }
}
