/** The limits of one turn: steps, time and money, from the thread's settings as they are now. */
import type { ErrorFact } from '../../protocol/error.ts'
import { fact } from './facts.ts'
import type { TurnRun } from './run.ts'

const raise = 'Raise the limit in the settings of the thread, or send a message to go on.'
/** Timers of the platform take no more than this. */
const longestSleepMs = 2_147_483_647

/** The limit that is reached, asked before each step; null while there is room. */
export const reachedLimit = (run: TurnRun): ErrorFact | null => {
  const { steps, costMicros } = run.ports.control.settings().limits
  if (run.steps >= steps)
    return fact('limit_reached', `The turn took its ${steps} steps.`, raise, { limit: 'steps', steps })
  if (costMicros !== null && run.costMicros !== null && run.costMicros >= costMicros) {
    const spent = (run.costMicros / 1_000_000).toFixed(2)
    return fact('budget_stopped', `The turn has cost $${spent}, its limit.`, raise, {
      limit: 'cost',
      costMicros: run.costMicros,
    })
  }
  return timeLimit(run)
}

const timeLimit = (run: TurnRun): ErrorFact | null => {
  const { durationMs } = run.ports.control.settings().limits
  if (run.elapsedMs() < durationMs) return null
  const minutes = Math.round(durationMs / 60_000)
  return fact('limit_reached', `The turn took its ${minutes} minutes.`, raise, { limit: 'time', durationMs })
}

/** Ends a turn whose time is over in the middle of whatever it does. */
export const watchTime = (run: TurnRun, ended: AbortSignal): void => {
  const { clock, control } = run.ports
  const watch = async (): Promise<void> => {
    while (!ended.aborted) {
      const error = timeLimit(run)
      if (error !== null) return run.halt({ type: 'limit', error })
      const left = control.settings().limits.durationMs - run.elapsedMs()
      await clock.sleep(Math.min(Math.max(left, 1), longestSleepMs), ended)
    }
  }
  // A sleep that ends with the turn rejects; there is nothing left to do then.
  watch().catch(() => undefined)
}
