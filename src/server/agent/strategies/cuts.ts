/**
 * The cuts of the strategy `layers`, as plans over a window's rows: what stays, what is replaced, how much it frees.
 * Pure. A call never stays without its result, and what a step thought goes with its calls.
 */
import type { WindowState } from '../../context/types.ts'

/** One row of the new window: carried over as it is, or a result that is cut. */
export type Kept = { at: number; cut: boolean }
export type Cut = { kept: Kept[]; freed: number; removed: number }

/** A result of fewer tokens is not worth a cut. */
const worthCutting = 200
/** Tokens of a result that was cut. */
const cutTokens = 120
/** Shares of the limit that the newest part may take: results that stay whole, calls that stay, all that stays. */
const newestResults = 0.2
const newestCalls = 0.25
const newestOfAll = 0.2

const isHead = (kind: string): boolean =>
  kind === 'tool' || kind === 'instructions' || kind.startsWith('world:')

/**
 * The step that each row belongs to; '' = none. A result belongs to the step of its call: not every wire keeps the group
 * of results, since not every one merges them.
 */
export const stepsOf = (window: WindowState): string[] => {
  const ofCall = new Map<string, string>()
  return window.rows.map(({ kind, callId }, at) => {
    const group = window.wire[at]?.group ?? ''
    if (callId === null) return group
    if (kind === 'tool_call') ofCall.set(callId, group)
    return ofCall.get(callId) ?? group
  })
}

const tokensAt = ({ rows }: WindowState, at: number): number => rows[at]?.tokens ?? 0

/** Level 1: results older than the newest ones are replaced by where they stand in the history. */
export const cutResults = (window: WindowState, limit: number): Cut => {
  let newest = 0
  let freed = 0
  const cut = new Set<number>()
  for (let at = window.rows.length - 1; at >= 0; at -= 1) {
    const row = window.rows[at]
    if (row?.kind !== 'tool_result') continue
    newest += row.tokens
    if (newest <= limit * newestResults || row.tokens < worthCutting || row.itemId === null) continue
    // Cut once already: its words are the notice.
    if (row.reason === 'cut') continue
    cut.add(at)
    freed += row.tokens - cutTokens
  }
  const kept = window.rows.map((_, at) => ({ at, cut: cut.has(at) }))
  return { kept, freed, removed: cut.size }
}

/** Level 2: calls with their results, and what was thought about them, go from the middle; words stay. */
export const cutMiddle = (window: WindowState, limit: number): Cut => {
  const steps = stepsOf(window)
  const newest = newestGroups(window, steps, limit * newestCalls)
  const insists = window.frozen?.traits.reasoningOnEveryMessage ?? false
  const speaks = new Set(
    window.rows.flatMap(({ kind }, at) => (kind === 'assistant' ? [steps[at] ?? ''] : [])),
  )
  return planOf(window, (kind, at) => {
    const group = steps[at] ?? ''
    if (newest.has(group)) return true
    if (kind === 'reasoning') return insists && speaks.has(group)
    return kind !== 'tool_call' && kind !== 'tool_result' && kind !== 'other'
  })
}

/** Level 3: the head, what people said in this turn and pinned, and the newest part. */
export const cutToLatest = (window: WindowState, limit: number, always: ReadonlySet<string>): Cut => {
  const steps = stepsOf(window)
  const newest = newestGroups(window, steps, limit * newestOfAll)
  let tokens = 0
  const latest = new Set<number>()
  for (let at = window.rows.length - 1; at >= 0; at -= 1) {
    const row = window.rows[at]
    if (row === undefined || isHead(row.kind) || isOfStep(row.kind)) continue
    tokens += row.tokens
    if (tokens > limit * newestOfAll) break
    latest.add(at)
  }
  return planOf(window, (kind, at) => {
    const row = window.rows[at]
    if (isOfStep(kind)) return newest.has(steps[at] ?? '')
    return latest.has(at) || row?.reason === 'pinned' || (row?.itemId != null && always.has(row.itemId))
  })
}

const isOfStep = (kind: string): boolean =>
  kind === 'assistant' ||
  kind === 'reasoning' ||
  kind === 'tool_call' ||
  kind === 'tool_result' ||
  kind === 'other'

/** Steps from the newest back, whole, as far as they fit. */
const newestGroups = (window: WindowState, steps: readonly string[], room: number): Set<string> => {
  const sizes = new Map<string, number>()
  window.rows.forEach(({ kind, tokens }, at) => {
    if (!isOfStep(kind)) return
    const group = steps[at] ?? ''
    sizes.set(group, (sizes.get(group) ?? 0) + tokens)
  })
  const kept = new Set<string>()
  let used = 0
  for (const [group, tokens] of [...sizes].reverse()) {
    used += tokens
    if (used > room) break
    kept.add(group)
  }
  return kept
}

const planOf = (window: WindowState, stays: (kind: string, at: number) => boolean): Cut => {
  const kept: Kept[] = []
  let freed = 0
  let removed = 0
  // What was told of the world and told anew since no longer holds, and would fill every window to come.
  const newest = new Map(window.rows.map(({ kind }, at) => [kind, at]))
  window.rows.forEach(({ kind }, at) => {
    if (kind.startsWith('world:') && newest.get(kind) !== at) freed += tokensAt(window, at)
    else if (isHead(kind) || stays(kind, at)) kept.push({ at, cut: false })
    else {
      freed += tokensAt(window, at)
      removed += 1
    }
  })
  return { kept, freed, removed }
}
