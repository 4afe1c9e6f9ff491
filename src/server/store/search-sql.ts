/**
 * A search as conditions and an order in SQL: whose documents, where the page goes on, what they must say. Knows how a
 * document is read, not which of them are looked at.
 */
import type { PlanScope } from './search-slots.ts'
import type { SearchDoc, SearchPlace, SearchQuery } from './types.ts'

/** A place between the documents of one event too: a walk may end there. */
export type Place = SearchPlace & { part?: number }
export type Step = Omit<SearchQuery, 'after' | 'scope'> & {
  scope: PlanScope
  after: Place | null
  isLiteral: boolean
  isShort: boolean
}

export type DocRow = Omit<SearchDoc, 'seq' | 'offset' | 'at'> & { seq: string; offset: string; at: number }

const names = [
  ...['threadId', 'seq', 'part', 'itemId', 'windowId', 'agentPath', 'role', 'kind', 'tool', 'status'],
  ...['actorId', 'offset', 'text'],
]
export const columns = `${names.map((name) => `d."${name}"`).join(', ')},
  (extract(epoch from d.at) * 1000)::float8 as at`

export const toDoc = (row: DocRow): SearchDoc => ({
  ...row,
  seq: Number(row.seq),
  offset: Number(row.offset),
  at: Math.round(row.at),
})

const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, (char) => `\\${char}`)}%`

export type Built = {
  values: unknown[]
  /** Whose documents, and where the page goes on. */
  scope: string
  /** What they must be and say. */
  match: string
}

type Add = (value: unknown) => string

export const parameters = (): { values: unknown[]; add: Add } => {
  const values: unknown[] = []
  return { values, add: (value) => `$${values.push(value)}` }
}

export const scopeOf = ({ scope, after, recentFirst }: Step, add: Add): string => {
  const than = recentFirst ? '<' : '>'
  const part = after?.part
  if (scope.type === 'thread') {
    const mine = `d."threadId" = ${add(scope.threadId)}`
    if (!after) return mine
    return part === undefined
      ? `${mine} and d.seq ${than} ${add(after.seq)}::int8`
      : `${mine} and (d.seq, d.part) ${than} (${add(after.seq)}::int8, ${add(part)}::int4)`
  }
  const mine = `d."ownerId" = ${add(scope.ownerId)}`
  if (!after) return mine
  const place = `to_timestamp(${add(after.at)}::float8 / 1000), ${add(after.threadId)}, ${add(after.seq)}::int8`
  return part === undefined
    ? `${mine} and (d.at, d."threadId", d.seq) ${than} (${place})`
    : `${mine} and (d.at, d."threadId", d.seq, d.part) ${than} (${place}, ${add(part)}::int4)`
}

/** Parameters and the conditions that name them; with slots only documents of these. */
export const build = (query: Step, slots?: string[]): Built => {
  const { values, add } = parameters()
  const scope = scopeOf(query, add)
  const match = [wordsMatch(query, add, slots)]
  for (const column of ['agentPath', 'windowId', 'role', 'tool', 'status'] as const)
    if (query[column] !== undefined) match.push(`d."${column}" = ${add(query[column])}`)
  // Beside what they say, so that a walk past what is not shared costs what it costs the owner.
  if (query.scope.type === 'owner' && query.scope.threadIds)
    match.push(`d."threadId" = any(${add(query.scope.threadIds)})`)
  return { values, scope, match: match.join(' and ') }
}

export const wordsMatch = (
  { isLiteral, text }: Pick<Step, 'isLiteral' | 'text'>,
  add: Add,
  slots?: string[],
): string => {
  if (isLiteral) {
    const like = `d.text like ${add(likePattern(text))}`
    return slots
      ? `search_slots(d."ownerId", d."threadId", d.at, d.seq) && ${add(slots)}::text[] and ${like}`
      : like
  }
  const words = `websearch_to_tsquery('simple', ${add(text)})`
  const within = slots?.map((slot) => `'${slot}'`).join(' | ')
  return `d.tsv @@ ${within === undefined ? words : `(${words} && ${add(within)}::tsquery)`}`
}

export const orderOf = ({ scope, recentFirst }: Step): { place: string; whole: string; event: string } => {
  const keys = scope.type === 'thread' ? ['d.seq'] : ['d.at', 'd."threadId"', 'd.seq']
  const place = keys.map((key) => `${key} ${recentFirst ? 'desc' : 'asc'}`).join(', ')
  return { place, whole: `${place}, d.part ${recentFirst ? 'desc' : 'asc'}`, event: keys.join(', ') }
}

export const flipped = (order: string): string =>
  order.replace(/ (asc|desc)/g, (_, direction) => (direction === 'asc' ? ' desc' : ' asc'))
