/** A window that a person asks for between turns: the same hand-over, without a turn around it. */
import { handOver, speaksSameWire } from './hand-over.ts'
import { finishCalls } from './resume.ts'
import { createRun } from './run.ts'
import type { AgentPorts, TurnInput } from './types.ts'

/**
 * Opens the next window in the way of the thread's strategy. Rejects with the Fault `window_too_small`, and when the
 * signal of the control aborts.
 */
export const renewAtRest = async (
  ports: AgentPorts,
  input: Omit<TurnInput, 'turnId' | 'content' | 'via' | 'resume'>,
  focus: string | null,
): Promise<void> => {
  const run = createRun(ports, { ...input, turnId: '', content: [], via: 'start', resume: null })
  try {
    if (speaksSameWire(run)) await finishCalls(run, null)
    await handOver(run, 'person', focus)
  } finally {
    run.close()
  }
}
