/**
 * One container with its row and its connection, from creation to removal: the only place where their states meet.
 * Knows no thread's business and no pool; what it has to tell goes to one listener.
 */
import type { z } from 'zod'
import { BRIDGE_ARGV } from '../../../sandbox/supervisor/protocol.ts'
import { Fault } from '../../protocol/error.ts'
import type { SandboxStatus } from '../../protocol/thread.ts'
import type { Log } from '../log.ts'
import type { SandboxRow, SandboxStore } from '../store/types.ts'
import { Commands } from './commands.ts'
import { sandboxSecret, specOf } from './container-spec.ts'
import type { ContainerState, Engine } from './engine.ts'
import { disconnected, sandboxLost } from './faults.ts'
import { type LinkAnswer, type LinkRequest, SupervisorLink } from './link.ts'
import type { SandboxConfig, SandboxNews } from './types.ts'

export type BoxContext = {
  engine: Engine
  rows: SandboxStore
  config: SandboxConfig
  log: Log
  now(): number
  /** Runs at most a few starts at once: more only wait for each other inside the engine. */
  limitStarts<T>(work: () => Promise<T>): Promise<T>
  /** The row is gone: its user id is free. */
  onRemoved(box: Box): void
}

const readyTimeoutMs = 20_000
const stopGraceSeconds = 5

const endWords = ({ exitCode, oomKilled }: ContainerState): string =>
  oomKilled
    ? `it used more memory than it has (exit ${exitCode})`
    : exitCode === 137
      ? 'it was killed (exit 137)'
      : `it ended with exit code ${exitCode}`

export class Box {
  row: SandboxRow
  status: SandboxStatus
  /** Calls that run now: a box with calls is not idle. */
  calls = 0
  /** Open readers of output; they may follow a command in the background for days, so they keep nothing awake. */
  readers = 0
  usedAt: number
  listener: ((news: SandboxNews) => void) | null = null
  readonly commands: Commands
  private readonly context: BoxContext
  private link: SupervisorLink | null = null
  private starting: Promise<void> | null = null
  private queue: Promise<unknown> = Promise.resolve()
  private untold: SandboxNews[] = []
  private closed = false

  constructor(row: SandboxRow, context: BoxContext) {
    this.row = row
    this.context = context
    this.usedAt = context.now()
    this.status = row.status as SandboxStatus
    this.commands = new Commands({
      reach: (request) => this.reach(request),
      json: (request, shape) => this.json(request, shape),
    })
  }

  get isUp(): boolean {
    return this.status === 'ready'
  }

  /** From now on `listener` hears the news; what happened while nobody listened is told first. */
  listen(listener: (news: SandboxNews) => void): void {
    this.listener = listener
    for (const news of this.untold.splice(0)) listener(news)
  }

  private tell(news: SandboxNews): void {
    if (this.listener) this.listener(news)
    else if (this.row.threadId !== null) this.untold = [...this.untold.slice(-9), news]
  }

  async save(change: Partial<SandboxRow> = {}): Promise<void> {
    this.row = { ...this.row, ...change, status: this.status, usedAt: this.usedAt }
    await this.context.rows.save(this.row)
  }

  /** Creates, starts or wakes the container and connects. Resolves when commands are accepted. */
  up(why: string): Promise<void> {
    if (this.isUp && this.link?.connected) return Promise.resolve()
    this.starting ??= this.alone(() => this.rise(why)).finally(() => {
      this.starting = null
    })
    return this.starting
  }

  private async rise(why: string): Promise<void> {
    if (this.closed) throw disconnected()
    if (this.isUp) {
      try {
        await this.connect(readyTimeoutMs)
        return
      } catch (error) {
        // It runs and does not answer, or it has just died.
        const state = await this.look()
        if (state?.running) throw error
        if (this.isUp) await this.died(state)
      }
    }
    const { engine, config, now } = this.context
    const startedAt = now()
    const before = this.status
    const first = this.row.containerId === null
    this.status = 'starting'
    this.tell({ type: 'starting', sandboxId: this.row.sandboxId, image: config.image, why })
    try {
      await this.context.limitStarts(async () => {
        const containerId = await this.container()
        await engine.start(containerId)
        await this.connect(readyTimeoutMs)
      })
      this.status = 'ready'
      this.usedAt = now()
      await this.save()
      const durationMs = Math.round(now() - startedAt)
      this.tell({ type: 'ready', sandboxId: this.row.sandboxId, fromPool: false, durationMs })
    } catch (error) {
      this.link?.close()
      this.link = null
      const lost = error instanceof Fault && error.code === 'sandbox_lost'
      this.status = lost ? 'lost' : first ? 'absent' : before === 'lost' ? 'lost' : 'stopped'
      await this.save().catch((failed: unknown) =>
        this.context.log.warn('a sandbox’s row was not saved', { error: failed }),
      )
      if (lost) this.tell({ type: 'lost', sandboxId: this.row.sandboxId, message: (error as Fault).message })
      throw error
    }
  }

  /** The container's id; made (again) around the volumes when it is not there or of another image. */
  private async container(): Promise<string> {
    const { engine, config } = this.context
    const { containerId, sandboxId, volume } = this.row
    const spec = specOf(config.image, config.limits)
    if (containerId !== null) {
      const state = await engine.inspect(containerId)
      if (state !== null && (state.running || this.row.data.spec === spec)) return containerId
      if (!(await engine.hasVolumes(volume)))
        throw sandboxLost('The sandbox’s container and its volumes are gone from the engine.')
      if (state !== null) await engine.removeContainer(containerId)
    }
    await engine.checkImage(config.image)
    const { installId, uid } = this.row
    const secret = sandboxSecret(config.secretKey, sandboxId)
    const identity = { sandboxId, installId, uid, volume, image: config.image, secret }
    const made = await engine.create(identity, config.limits)
    await this.save({ containerId: made, image: config.image, data: { ...this.row.data, spec } })
    return made
  }

  /** Connects; tries until the supervisor listens, the container ends or the time is over. */
  private async connect(timeoutMs: number): Promise<void> {
    const { engine, config, now } = this.context
    const { containerId, sandboxId } = this.row
    if (containerId === null) throw disconnected()
    this.link ??= new SupervisorLink(
      () => engine.attach(containerId, BRIDGE_ARGV),
      sandboxSecret(config.secretKey, sandboxId),
      () => this.check(),
    )
    const link = this.link
    for (const until = now() + timeoutMs, began = now(); ; ) {
      try {
        await link.connect()
        return
      } catch (error) {
        if (this.closed || now() > until) throw error
        const state = await engine.inspect(containerId)
        if (!state?.running) {
          const how = state === null ? 'it was removed' : endWords(state)
          throw new Fault(
            'sandbox_unavailable',
            `The sandbox’s container did not stay up: ${how}.`,
            'Try again; if it stays so, the doctor command tells what is wrong with the image or the engine.',
          )
        }
        await new Promise((resolve) => setTimeout(resolve, now() - began < 2_000 ? 15 : 250))
      }
    }
  }

  /** The connection, made again if it broke; never starts a container. */
  private async connected(): Promise<SupervisorLink> {
    if (this.link?.connected) return this.link
    if (this.starting) await this.starting
    if (!this.isUp) throw sandboxLost('The sandbox is not running.')
    await this.connect(readyTimeoutMs)
    if (!this.link) throw disconnected()
    return this.link
  }

  async reach(request: LinkRequest): Promise<LinkAnswer> {
    return (await this.connected()).request(request)
  }

  async json<S extends z.ZodType>(request: LinkRequest, shape: S): Promise<z.infer<S>> {
    return (await this.connected()).json(request, shape)
  }

  async bytes(request: LinkRequest): ReturnType<SupervisorLink['bytes']> {
    return (await this.connected()).bytes(request)
  }

  /** Cuts the connection, as a broken network would. */
  cut(): void {
    this.link?.drop()
  }

  private async look(): Promise<ContainerState | null> {
    return this.row.containerId === null ? null : this.context.engine.inspect(this.row.containerId)
  }

  /** Asks the engine whether the container still runs; if not, says so and gives up its commands. */
  check(): void {
    this.alone(async () => {
      if (!this.isUp || this.closed) return
      const state = await this.look()
      if (!state?.running) await this.died(state)
    }).catch((error: unknown) =>
      this.context.log.warn('a sandbox could not be checked', { sandboxId: this.row.sandboxId, error }),
    )
  }

  private async died(state: ContainerState | null): Promise<void> {
    this.status = 'lost'
    this.link?.close()
    this.link = null
    this.commands.lose()
    const how = state === null ? 'it was removed from the engine' : endWords(state)
    const message = `The sandbox’s container is gone: ${how}. Its running commands are lost; files on its volumes are kept.`
    this.tell({ type: 'lost', sandboxId: this.row.sandboxId, message })
    await this.save()
  }

  /** Resolves when a check that is under way is done: then `status` is what the engine says. */
  async settled(): Promise<void> {
    await this.queue.catch(() => undefined)
  }

  /** Stops the container; `unless` is asked again when it is this call's turn. */
  down(why: string, unless: () => boolean = () => false): Promise<void> {
    return this.alone(async () => {
      if (!this.isUp || this.row.containerId === null || unless()) return
      this.status = 'stopping'
      this.link?.close()
      this.link = null
      try {
        await this.context.engine.stop(this.row.containerId, stopGraceSeconds)
      } catch (error) {
        this.status = 'ready'
        throw error
      }
      this.status = 'stopped'
      this.commands.lose()
      await this.save()
      this.tell({ type: 'stopped', sandboxId: this.row.sandboxId, why })
    })
  }

  /** Container, volumes and row, gone for good. */
  destroy(): Promise<void> {
    return this.alone(async () => {
      const { engine, rows } = this.context
      this.closed = true
      this.link?.close()
      this.link = null
      this.commands.lose()
      if (this.row.containerId !== null) await engine.removeContainer(this.row.containerId)
      await engine.removeVolumes(this.row.volume)
      await rows.remove(this.row.sandboxId)
      this.status = 'absent'
      this.context.onRemoved(this)
    })
  }

  /** Lets go of the connection; the container goes on. */
  close(): void {
    this.closed = true
    this.link?.close()
    this.link = null
    this.commands.close(disconnected())
  }

  private alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.queue.then(work, work)
    this.queue = mine.catch(() => undefined)
    return mine
  }
}
