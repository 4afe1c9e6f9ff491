// What a tool is given, for tests: a fake sandbox, a real clock whose sleeps can be cut short, and a record of progress.
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../src/protocol/ids.ts'
import { workspacePath } from '../../src/protocol/places.ts'
import { defaultThreadSettings } from '../../src/protocol/settings.ts'
import type { Sandbox } from '../../src/server/sandbox/types.ts'
import { resolveCall, runCall } from '../../src/server/tools/pipeline.ts'
import { standardTools } from '../../src/server/tools/tools.ts'
import type { ToolContext, ToolOutcome } from '../../src/server/tools/types.ts'
import { type FakeSandbox, fakeSandbox } from './fake-sandbox.ts'
import { emptyHistory, memoryNotes } from './notes.ts'

/** Something that a tool told while it ran. */
type Told = { what: string; [key: string]: unknown }

export type ToolBench<S extends Sandbox> = {
  sandbox: S
  context: ToolContext
  stop: AbortController
  /** Waits asked of the clock; with `instant` they pass at once. */
  waits: number[]
  told: Told[]
  call(name: string, input: unknown): Promise<ToolOutcome>
}

type Options = { instant?: boolean; context?: Partial<ToolContext> }

/** Tools over a fake sandbox. */
export const toolBench = ({
  files,
  ...options
}: Options & { files?: Record<string, string> } = {}): ToolBench<FakeSandbox> =>
  toolBenchOver(fakeSandbox(files), options)

export const toolBenchOver = <S extends Sandbox>(sandbox: S, options: Options = {}): ToolBench<S> => {
  const stop = new AbortController()
  const waits: number[] = []
  const told: Told[] = []
  const context: ToolContext = {
    itemId: newId('itm'),
    sandbox,
    settings: defaultThreadSettings,
    cwd: workspacePath,
    sessions: new Map(),
    window: {
      budget: () => ({ index: 0, usedTokens: 1_000, remainingTokens: 9_000 }),
      renew: () => told.push({ what: 'renew' }),
    },
    clock: {
      now: () => 0,
      sleep: async (ms, signal) => {
        waits.push(ms)
        await sleep(options.instant ? 1 : ms, undefined, signal ? { signal } : {})
      },
    },
    progress: {
      commandStarted: (command) => told.push({ what: 'command', ...command }),
      output: (commandId, offset, text, nextOffset) =>
        told.push({ what: 'output', commandId, offset, text, nextOffset }),
      plan: (entries, explanation) => told.push({ what: 'plan', entries, explanation }),
    },
    notes: memoryNotes(),
    history: emptyHistory(),
    ask: async () => null,
    signal: stop.signal,
    ...options.context,
  }
  return {
    sandbox,
    context,
    stop,
    waits,
    told,
    call: async (name, input) => {
      const argumentsText = typeof input === 'string' ? input : JSON.stringify(input)
      const resolved = resolveCall(standardTools, { name, argumentsText }, context)
      return resolved.ok ? runCall(resolved, { ...context, itemId: newId('itm') }) : resolved.outcome
    },
  }
}
