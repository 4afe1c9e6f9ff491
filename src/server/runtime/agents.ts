/** Agents of one tree of threads by their names, as other agents write them. */
import { Fault } from '../../protocol/error.ts'
import { rootAgent } from '../../protocol/note.ts'
import type { Store, ThreadAgent } from '../store/types.ts'

/** Absolute, or relative to the name of the agent that asks; absent = itself. */
const nameOf = (asked: string | undefined, self: string): string =>
  asked === undefined ? self : asked.startsWith('/') ? asked : `${self}/${asked}`

/** Throws `not_found` with words for the model when the tree has no agent of that name. */
export const findAgent = async (
  store: Pick<Store, 'threads'>,
  self: ThreadAgent,
  asked: string | undefined,
): Promise<ThreadAgent> => {
  const name = nameOf(asked, self.agentPath)
  if (name === self.agentPath) return self
  const found = await store.threads.agentNamed(self.rootThreadId, name)
  if (found !== null) return found
  throw new Fault(
    'not_found',
    `There is no agent ${JSON.stringify(name.slice(0, 100))} in this thread.`,
    `Leave the name out to mean yourself (${self.agentPath}); the main agent is ${rootAgent}.`,
  )
}
