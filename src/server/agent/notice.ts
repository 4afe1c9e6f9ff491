/** Something that people should know and that is no item of the conversation. */
import type { ErrorFact } from '../../protocol/error.ts'
import type { TurnRun } from './run.ts'

/** `kind` is a key of the screen's words, `text` the English sentence. */
export const notice = async (
  run: TurnRun,
  { kind, text, error }: { kind: string; text: string; error?: ErrorFact },
): Promise<void> => {
  const id = run.ports.newId('itm')
  const item = {
    id,
    type: 'notice' as const,
    level: 'warning' as const,
    kind,
    text,
    ...(error === undefined ? {} : { error }),
  }
  await run.emit('item.completed', { item }, { itemId: id, actorId: 'system' })
}
