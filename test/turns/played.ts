// A turn played with a scripted provider and simple tools, over the fakes of the four edges.
import { runTurn } from '../../src/server/agent/turn.ts'
import type { TurnInput } from '../../src/server/agent/types.ts'
import type { WireKind } from '../../src/server/providers/types.ts'
import { type Script, scriptedProvider } from '../setup/scripted-provider.ts'
import { stage, turnInput } from './edges.ts'
import { simpleTools } from './tools.ts'

/** Plays one turn to its end. `at`: the edges of a turn before, to go on with. */
export const play = async (
  scripts: Script[],
  {
    kind = 'openai-responses' as WireKind,
    at = stage(),
    ...more
  }: Partial<TurnInput> & {
    kind?: WireKind
    at?: ReturnType<typeof stage>
  } = {},
) => {
  const provider = scriptedProvider(kind, scripts)
  const input = turnInput(provider, simpleTools, more)
  const outcome = await runTurn(at.ports, input)
  return { ...at, provider, input, outcome }
}

/** The types of the events in the log, in order. */
export const types = (at: ReturnType<typeof stage>): string[] => at.log.events.map(({ type }) => type)
