/**
 * One turn: from a person's message until the model answers without a tool call, a limit, a fault or a stop. Knows no
 * database, container, vendor or clock: everything arrives in `ports`.
 */
import type { AgentPorts, TurnInput, TurnOutcome } from './types.ts'

/** Runs the turn to its end. Every end but `abandoned` is in the log, committed, when this resolves; never rejects. */
export const runTurn = async (_ports: AgentPorts, _input: TurnInput): Promise<TurnOutcome> => ({
  status: 'abandoned',
})
