/** Who may run beside whom: calls take their turn in call order, parallel-safe ones side by side, others alone. */

export type CallOrder = {
  /** Resolves when the call may run. `done` settles when it has ended; it must never reject. */
  enter(parallelSafe: boolean, done: Promise<void>): Promise<void>
}

export const createCallOrder = (): CallOrder => {
  /** Ends of everything that an exclusive call has to wait for, and of the last exclusive one. */
  let running: Promise<void>[] = []
  let alone: Promise<void> = Promise.resolve()
  return {
    async enter(parallelSafe, done) {
      if (parallelSafe) {
        const before = alone
        running.push(done)
        await before
        return
      }
      const before = [alone, ...running]
      running = []
      alone = done
      await Promise.all(before)
    },
  }
}
