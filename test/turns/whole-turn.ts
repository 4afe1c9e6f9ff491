/** A whole turn over real HTTP: the scripted model, the vendor's SDK, the standard tools; log, sandbox and clock are fakes. */

import { runTurn } from '../../src/server/agent/turn.ts'
import type { TurnInput, TurnOutcome } from '../../src/server/agent/types.ts'
import { createProvider } from '../../src/server/providers/provider.ts'
import { windowTraits } from '../../src/server/providers/traits.ts'
import type { WireKind } from '../../src/server/providers/types.ts'
import { standardTools } from '../../src/server/tools/tools.ts'
import type { ScriptedModel } from '../scripted-model/scripted-model.ts'
import { type FakeSandbox, fakeSandbox } from '../setup/fake-sandbox.ts'
import { model } from '../setup/scripted-provider.ts'
import { type Stage, stage, turnInput } from './edges.ts'

export const wires: WireKind[] = ['openai-responses', 'openai-chat', 'anthropic-messages', 'google-genai']

export type Whole = Omit<Stage, 'sandbox'> & {
  sandbox: FakeSandbox
  input: TurnInput
  /** Bodies that this model's server got for this turn's model name, oldest first. */
  bodies(): string[]
  run(more?: Partial<TurnInput>): Promise<TurnOutcome>
}

/** `name` is the scripted model's; files are in the workspace from the start. */
export const wholeTurn = (
  server: ScriptedModel,
  kind: WireKind,
  name: string,
  files: Record<string, string> = {},
): Whole => {
  const at = stage()
  const sandbox = fakeSandbox(files)
  at.ports.sandbox = sandbox
  const connection = {
    wire: kind,
    baseUrl: kind === 'anthropic-messages' ? server.url : `${server.url}/v1`,
    apiKey: 'test',
  }
  const info = { ...model, id: name, label: name, wire: kind }
  const provider = createProvider(connection)
  const input = turnInput(provider, standardTools, {
    model: info,
    traits: windowTraits(connection, info, true),
  })
  const from = server.requests.length
  return {
    ...at,
    sandbox,
    input,
    bodies: () =>
      server.requests
        .slice(from)
        .filter(({ view }) => view.model === name)
        .map(({ bytes }) => bytes.toString('utf8')),
    run: (more = {}) => runTurn(at.ports, { ...input, ...more }),
  }
}
