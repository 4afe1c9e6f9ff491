/** Reads the workspace's AGENTS.md files through the sandbox, without waking one that would be empty. */
import { sha256 } from '../../lib/sha256.ts'
import { Fault, toFact } from '../../protocol/error.ts'
import { rulesInEvent } from '../../protocol/event.ts'
import { type Rules, readRules } from '../context/agents-md.ts'
import type { Recall } from '../context/recall.ts'
import { readableText } from '../context/text.ts'
import { homePath } from '../sandbox/types.ts'
import { notice } from './notice.ts'
import type { TurnRun } from './run.ts'

/** Null when there are none. Faults of the sandbox pass through. */
const readWorkspaceRules = (run: TurnRun): Promise<Rules | null> => {
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
 * At the start of a turn or of a window. An empty workspace has no rules and needs no container yet, and in one that
 * sleeps nothing has changed since the window was told; otherwise the sandbox is started, since the model must know the
 * rules before it acts. Undefined = nobody has looked.
 */
const rulesAtStart = async (run: TurnRun, isNewWindow: boolean): Promise<Rules | null | undefined> => {
  const { sandbox } = run.ports
  const status = sandbox.status()
  if (status === 'absent' && !run.input.workspaceHasFiles) return undefined
  if (status === 'stopped' && !isNewWindow) return undefined
  await sandbox.ensure(run.signal)
  return readWorkspaceRules(run)
}

/** Rules as somebody read them now. What is another than what the window was told is in the log before it is told. */
const learnRules = async (run: TurnRun, rules: Rules | null): Promise<void> => {
  const hash = sha256(rules === null ? '' : readableText(rules.text))
  const before = run.recordedRules ?? run.input.window.told.get('rules') ?? sha256('')
  run.rules = rules
  if (hash !== before) {
    run.recordedRules = hash
    const files = (rules?.files ?? []).slice(0, rulesInEvent)
    const text = await run.ports.recorder.long(rules?.text ?? '')
    await run.emit('rules.changed', { files, text }, { actorId: 'system' })
  }
}

/** After files changed, the rules among them may have. */
export const readRulesAgain = async (run: TurnRun): Promise<void> =>
  learnRules(run, await readWorkspaceRules(run))

/** While nobody can look, those of which the log told last still hold. */
export const recallRules = async (run: TurnRun, { rules }: Pick<Recall, 'rules'>): Promise<void> => {
  if (run.rules !== undefined || rules === null) return
  const { text, blob } = rules.text
  const whole =
    blob === undefined ? text : Buffer.from(await run.ports.recorder.readBlob(blob)).toString('utf8')
  run.rules = rules.files.length === 0 ? null : { text: whole, files: rules.files }
}

/** A sandbox that does not answer keeps the rules away, not the turn: the model can still talk, and people see why. */
export const lookForRules = async (run: TurnRun, isNewWindow: boolean): Promise<void> => {
  try {
    const rules = await rulesAtStart(run, isNewWindow)
    if (rules !== undefined) await learnRules(run, rules)
  } catch (error) {
    if (run.stop() !== null) return
    if (!(error instanceof Fault)) run.ports.defect(error)
    await notice(run, {
      kind: 'rules_unread',
      text: 'The rules of the workspace (AGENTS.md) could not be read.',
      error: toFact(error),
    })
  }
}
