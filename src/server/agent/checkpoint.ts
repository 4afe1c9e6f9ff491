/**
 * Checkpoints beside the next model request: the next tool round waits for them, the turn's end too. A checkpoint that
 * fails is an event, never a silent gap.
 */
import { toFact } from '../../protocol/error.ts'
import { type EventBody, filesInCheckpointEvent } from '../../protocol/event.ts'
import type { CheckpointResult } from '../sandbox/types.ts'
import { readRulesAgain } from './rules.ts'
import { Stopped, type TurnRun } from './run.ts'

/** Entries of `leftOut` that the event names. */
const leftOutInEvent = 20

/** What a checkpoint says in the log, of a step as of a workspace at rest. `packBlob`: the pack, where there is one. */
export const checkpointBody = (
  checkpointId: string,
  made: CheckpointResult,
  packBlob: string | undefined,
): EventBody<'checkpoint.created'> => ({
  checkpointId,
  tree: made.tree,
  snapshot: made.snapshot,
  previousTree: made.previousTree,
  baseTree: made.baseTree,
  files: made.files.slice(0, filesInCheckpointEvent),
  fileCount: made.fileCount,
  additions: made.additions,
  deletions: made.deletions,
  leftOut: made.leftOut.slice(0, leftOutInEvent),
  ...(packBlob === undefined ? {} : { packBlob }),
  durationMs: Math.round(made.durationMs),
})

export const startCheckpoint = (run: TurnRun, stepId: string): void => {
  run.checkpoint = run.checkpoint.then(() => takeCheckpoint(run, stepId)).catch(() => undefined)
}

const takeCheckpoint = async (run: TurnRun, stepId: string): Promise<void> => {
  const { ports } = run
  try {
    const made = await ports.sandbox.checkpoint()
    // Nothing changed: the last checkpoint still says what is there.
    if (!made.changed && made.previousTree !== null) return
    const packBlob = made.pack === null ? undefined : await ports.recorder.blob(made.pack)
    await run.emit('checkpoint.created', checkpointBody(ports.newId('chk'), made, packBlob), { stepId })
    // The files changed, so the rules among them may have.
    await readRulesAgain(run)
  } catch (error) {
    if (error instanceof Stopped) return
    await run.emit('checkpoint.failed', { error: toFact(error) }, { stepId })
  }
}
