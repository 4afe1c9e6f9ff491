/**
 * A place in a rollout as its address says it: what is selected, what is shown, what is looked for. The same words are
 * read and written, so that a copied link opens what its sender saw. Pure; unknown and broken parts are left out.
 */
import { RolloutFilter, RolloutPlace, type RolloutRow, RolloutRowKind } from '../protocol/rollout.ts'

export const stepTabs = ['saw', 'did', 'changed', 'raw'] as const
export type StepTab = (typeof stepTabs)[number]

export type RolloutAddress = {
  /** Null = nothing is selected, and the rollout as a whole is shown. */
  at: RolloutPlace | null
  filter: RolloutFilter
  tab: StepTab | null
  /** The step that the request is held against; null = the one before. */
  against: string | null
  /** What find looks for; empty = it is closed. */
  find: string
}

/** What stands for each part; short, because links are pasted into messages. */
const places = { s: 'stepId', i: 'itemId', turn: 'turnId' } as const
const numbers = { e: 'seq', r: 'idx' } as const

const whole = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined

function placeOf(params: URLSearchParams): RolloutPlace | null {
  for (const [name, key] of Object.entries(places)) {
    const found = RolloutPlace.safeParse({ [key]: params.get(name) ?? undefined })
    if (params.has(name) && found.success) return found.data
  }
  for (const [name, key] of Object.entries(numbers)) {
    const found = RolloutPlace.safeParse({ [key]: whole(params.get(name)) })
    if (params.has(name) && found.success) return found.data
  }
  return null
}

/** Durations and costs in the address are in milliseconds and micro-dollars. */
function filterOf(params: URLSearchParams): RolloutFilter {
  const filter: RolloutFilter = {}
  const kinds = (params.get('kind') ?? '').split('.').filter((kind) => RolloutRowKind.safeParse(kind).success)
  if (kinds.length > 0) filter.kinds = kinds as RolloutRowKind[]
  const tools = params.getAll('tool').filter((tool) => tool !== '' && tool.length <= 100)
  if (tools.length > 0) filter.tools = tools.slice(0, 50)
  if (params.get('errors') === '1') filter.errors = true
  const [longer, costlier] = [whole(params.get('longer')), whole(params.get('costlier'))]
  if (longer !== undefined) filter.minDurationMs = longer
  if (costlier !== undefined) filter.minCostMicros = costlier
  const window = RolloutFilter.shape.windowId.safeParse(params.get('window') ?? undefined)
  if (window.success && window.data !== undefined) filter.windowId = window.data
  const turn = RolloutFilter.shape.turnId.safeParse(params.get('only') ?? undefined)
  if (turn.success && turn.data !== undefined) filter.turnId = turn.data
  return filter
}

export function parseAddress(params: URLSearchParams): RolloutAddress {
  const tab = params.get('tab')
  const against = RolloutPlace.safeParse({ stepId: params.get('vs') ?? '' })
  return {
    at: placeOf(params),
    filter: filterOf(params),
    tab: stepTabs.find((known) => known === tab) ?? null,
    against: against.success && 'stepId' in against.data ? against.data.stepId : null,
    find: (params.get('find') ?? '').slice(0, 1_000),
  }
}

function writeFilter(params: URLSearchParams, filter: RolloutFilter): void {
  if (filter.kinds !== undefined && filter.kinds.length > 0) params.set('kind', filter.kinds.join('.'))
  for (const tool of filter.tools ?? []) params.append('tool', tool)
  if (filter.errors) params.set('errors', '1')
  if (filter.minDurationMs !== undefined) params.set('longer', String(filter.minDurationMs))
  if (filter.minCostMicros !== undefined) params.set('costlier', String(filter.minCostMicros))
  if (filter.windowId !== undefined) params.set('window', filter.windowId)
  if (filter.turnId !== undefined) params.set('only', filter.turnId)
}

/** The part of an address from `?` on; empty when it says nothing. */
export function writeAddress({ at, filter, tab, against, find }: RolloutAddress): string {
  const params = new URLSearchParams()
  if (at !== null)
    for (const [name, key] of Object.entries({ ...places, ...numbers }))
      if (key in at) params.set(name, String((at as Record<string, unknown>)[key]))
  if (tab !== null) params.set('tab', tab)
  if (against !== null) params.set('vs', against)
  writeFilter(params, filter)
  if (find !== '') params.set('find', find)
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** How a link names a row: by what lasts longest. */
export function placeOfRow(row: RolloutRow): RolloutPlace {
  if (row.kind === 'step' && row.stepId !== null) return { stepId: row.stepId }
  if (row.itemId !== null && (row.kind === 'tool' || row.kind === 'message')) return { itemId: row.itemId }
  return { seq: row.seq }
}

export const noAddress: RolloutAddress = { at: null, filter: {}, tab: null, against: null, find: '' }

/** Whether a filter hides nothing. */
export const isWhole = (filter: RolloutFilter): boolean => Object.keys(filter).length === 0
