/** What a link shows of a rollout: its part of the log, told in pieces of a page. Knows no database and no document. */
import type { ThreadEvent } from '../../protocol/event.ts'
import type { LinkShow } from '../../protocol/link.ts'
import type { Cut } from '../rollouts/export/cut.ts'
import { createHtml, limitsOf } from '../rollouts/export/html.ts'
import type { RolloutSource } from '../rollouts/export/source.ts'
import { tell } from '../rollouts/export/told.ts'
import { showsOf } from './page.ts'
import type { LinkRange } from './range.ts'

type Telling = {
  events: AsyncIterable<ThreadEvent[]>
  cut: Cut
  range: Pick<LinkRange, 'fromSeq' | 'toSeq' | 'before'>
  shows: readonly LinkShow[]
  /** People by id; those who are not in it are called a person. */
  names: ReadonlyMap<string, string>
}

export type LinkCounts = { turns: number; steps: number; messages: number; calls: number; pictures: number }

async function* within(
  events: AsyncIterable<ThreadEvent[]>,
  { fromSeq, toSeq }: Telling['range'],
): AsyncGenerator<ThreadEvent[]> {
  for await (const page of events) {
    const last = page.at(-1)?.seq ?? 0
    yield page.filter(({ seq }) => seq >= fromSeq && (toSeq === null || seq <= toSeq))
    if (toSeq !== null && last >= toSeq) return
  }
}

/** Pieces of the page, each whole by itself. `counts` grows with them. */
export async function* tellLink(
  { events, cut, range, shows, names }: Telling,
  counts?: LinkCounts,
): AsyncGenerator<string> {
  const html = createHtml({
    shows: showsOf(shows),
    nested: false,
    nameOf: ({ who, actorId }) =>
      who === 'agent' ? 'Agent' : shows.includes('names') ? (names.get(actorId) ?? 'Person') : 'Person',
  })
  const source: Pick<RolloutSource, 'events'> = { events: () => within(events, range) }
  for await (const part of tell(source, cut, limitsOf(20_000), range.before)) {
    if (counts) {
      if (part.type === 'turn') counts.turns += 1
      if (part.type === 'step') counts.steps += 1
      if (part.type === 'call') counts.calls += 1
      if (part.type === 'message') {
        counts.messages += 1
        counts.pictures += part.pictures.length
      }
    }
    const piece = html.block(part)
    if (piece !== '') yield `${piece}\n`
  }
}
