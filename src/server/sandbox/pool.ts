/**
 * Containers kept ready for threads that have no workspace yet. Each serves one thread and never comes back. Refilled
 * when nothing else runs, since a start costs the very processor time that a working thread wants.
 */
import type { Log } from '../log.ts'
import type { Box } from './box.ts'

export type PoolContext = {
  size: number
  /** A new container without a thread, up. */
  make(): Promise<Box>
  /** Whether threads' calls run now. */
  isBusy(): boolean
  log: Log
}

/** The refill waits for a quiet moment, but not for ever: on a busy server there is none. */
const quietMs = 250
const patienceMs = 5_000
const afterFailureMs = 15_000

export class Pool {
  private ready: Box[] = []
  private filling: Promise<void> | null = null
  private readonly wake = new AbortController()
  private readonly context: PoolContext

  constructor(context: PoolContext) {
    this.context = context
  }

  get size(): number {
    return this.ready.length
  }

  /** Takes over a container that is up and belongs to nobody; false = there are enough. */
  adopt(box: Box): boolean {
    if (this.ready.length >= this.context.size || this.wake.signal.aborted) return false
    this.ready.push(box)
    return true
  }

  /** A container that was up when last heard of, or null. The place it leaves is filled later. */
  take(): Box | null {
    for (let box = this.ready.shift(); box !== undefined; box = this.ready.shift()) {
      this.fill()
      if (box.isUp) return box
      const dead = box
      dead
        .destroy()
        .catch((error: unknown) => this.context.log.warn('a pooled sandbox was not removed', { error }))
    }
    this.fill()
    return null
  }

  /** Fills the pool in the background. */
  fill(): void {
    if (this.filling || this.wake.signal.aborted || this.ready.length >= this.context.size) return
    this.filling = this.work().finally(() => {
      this.filling = null
    })
  }

  private async work(): Promise<void> {
    while (this.ready.length < this.context.size && !this.wake.signal.aborted) {
      await this.quiet()
      if (this.wake.signal.aborted) return
      try {
        const box = await this.context.make()
        if (!this.adopt(box)) await (this.wake.signal.aborted ? box.close() : box.destroy())
      } catch (error) {
        if (this.wake.signal.aborted) return
        this.context.log.warn('the pool could not be filled', { error })
        await this.sleep(afterFailureMs)
      }
    }
  }

  private async quiet(): Promise<void> {
    for (let waited = 0; waited < patienceMs && !this.wake.signal.aborted; waited += quietMs) {
      await this.sleep(quietMs)
      if (!this.context.isBusy()) return
    }
  }

  private sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      timer.unref()
      this.wake.signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer)
          resolve()
        },
        { once: true },
      )
    })
  }

  /** Stops filling; resolves when nothing is being made any more. The containers stay, for the next start. */
  async close(): Promise<void> {
    this.wake.abort()
    await this.filling
  }
}
