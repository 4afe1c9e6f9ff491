/** Reads the workspace's AGENTS.md files through the sandbox, without waking one that would be empty. */
import { Fault } from '../../protocol/error.ts'
import { readRules } from '../context/agents-md.ts'
import { homePath } from '../sandbox/types.ts'
import type { TurnRun } from './run.ts'

/** The rules' text, null when there are none. Faults of the sandbox pass through. */
export const readWorkspaceRules = (run: TurnRun): Promise<string | null> => {
  const { sandbox } = run.ports
  return readRules(
    {
      exists: async (path) => (await sandbox.stat(path)) !== null,
      async read(path, limit) {
        try {
          return (await sandbox.readFile(path, { offset: 0, limit: Math.min(limit, 1_000_000) })).bytes
        } catch (error) {
          // Not there, a folder, a link to nothing: all the same to the rules.
          if (error instanceof Fault && (error.code === 'not_found' || error.code === 'tool_refused'))
            return null
          throw error
        }
      },
    },
    { cwd: run.cwd, home: homePath },
  )
}

/**
 * At a turn's start. An empty workspace has no rules and needs no container yet, and in one that sleeps nothing has
 * changed since the window was told; otherwise the sandbox is started, since the model must know the rules before it
 * acts. Undefined = nobody has looked.
 */
export const rulesAtStart = async (run: TurnRun): Promise<string | null | undefined> => {
  const { sandbox } = run.ports
  const { window, workspaceHasFiles } = run.input
  const status = sandbox.status()
  if (status === 'absent' && !workspaceHasFiles) return undefined
  if (status === 'stopped' && window.frozen !== null) return undefined
  await sandbox.ensure(run.signal)
  return readWorkspaceRules(run)
}
