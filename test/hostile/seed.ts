// A thread with every payload in every place of its log, notes beside it, and the names around it.
import { newId } from '../../src/protocol/ids.ts'
import type { Store } from '../../src/server/store/types.ts'
import { withLease } from '../setup/written-thread.ts'
import type { Payload } from './corpus.ts'
import { groupsOf, HostileThread, oneLine } from './hostile-thread.ts'

export type Hostile = { threadId: string; projectId: string; turns: number }

/** How many payloads share a turn. */
const inTurn = 20

/** The thread with every payload in every place, and notes beside it. */
export const seedHostileThread = (
  store: Store,
  { ownerId, projectId, payloads }: { ownerId: string; projectId: string; payloads: readonly Payload[] },
): Promise<Hostile> =>
  withLease(store, async (leaseOwner) => {
    const thread = new HostileThread(store, leaseOwner, ownerId)
    await thread.open(
      projectId,
      payloads
        .slice(0, 3)
        .map(({ text }) => oneLine(text))
        .join(' '),
    )
    for (let from = 0; from < payloads.length; from += inTurn) {
      const part = payloads.slice(from, from + inTurn)
      thread.turn(part)
      await thread.flush(oneLine(part[0]?.text ?? ''))
    }
    const queue = payloads.map(({ text }) => ({
      opId: newId('op'),
      actorId: ownerId,
      preview: oneLine(text).slice(0, 120),
      queuedAt: thread.at,
    }))
    thread.event('queue.changed', { queue })
    await thread.flush('the end')
    const of = { rootThreadId: thread.threadId, agentPath: '/root' }
    for (const { id, text } of payloads) {
      const note = {
        path: `${id} ${oneLine(text)}`.slice(0, 300),
        text: text.replaceAll('\u0000', '').toWellFormed(),
      }
      await store.notes.write(of, { ...note, mode: 'write', actorId: 'agent', writer: '/root', seen: 0 })
    }
    return { threadId: thread.threadId, projectId, turns: thread.counts.turns }
  })

/** Threads, projects and a provider that are called like the payloads, several payloads in a name. */
export const seedHostileNames = async (
  store: Store,
  { ownerId, payloads }: { ownerId: string; payloads: readonly Payload[] },
): Promise<void> => {
  const groups = (size: number): string[] =>
    groupsOf(payloads, size).map((together) => together.map(({ text }) => oneLine(text)).join(' '))
  const projects: string[] = []
  for (const name of groups(20)) projects.push((await store.projects.create({ name }, ownerId)).id)
  const models = payloads.map(({ id, text }) => ({
    id: `m${id}`,
    label: oneLine(text).slice(0, 200),
    family: 'hostile',
    contextTokens: 200_000,
    maxOutputTokens: 1_000,
    efforts: [],
    images: false,
    prices: null,
  }))
  for (let from = 0; from < models.length; from += 50)
    await store.providers.create(
      {
        name: groups(50)[from / 50] ?? 'hostile',
        kind: 'openai-chat',
        baseUrl: 'http://127.0.0.1:9/v1',
        models: models.slice(from, from + 50),
      },
      ownerId,
    )
  await withLease(store, async (leaseOwner) => {
    for (const [at, title] of groups(3).entries()) {
      const thread = new HostileThread(store, leaseOwner, ownerId)
      await thread.open(projects[at % projects.length] ?? '', title)
      await thread.flush(title)
    }
  })
}
