/**
 * The skeleton of a rollout from its columns: lanes, sums along the steps, what is notable. However long the rollout is,
 * it fits in one answer: what is too much is drawn together.
 */
import { addUsage, noUsage, type Usage } from '../../protocol/event.ts'
import { maxSkeletonBytes, type RolloutSkeleton, type RolloutSpans } from '../../protocol/rollout.ts'
import type { ThreadProjection } from '../../protocol/thread.ts'
import type { RolloutColumns, RolloutLaneColumns, RolloutMark } from '../store/rollout-types.ts'
import { mergeSpans } from './spans.ts'

/** How much of each there is at most before the whole is fitted. */
const most = {
  turns: 1_200,
  steps: 1_400,
  tools: 1_400,
  waits: 400,
  agents: 400,
  series: 600,
  windows: 500,
  notable: 200,
}
type Most = typeof most

type Interval = [start: number, end: number]

/** Length of what the intervals cover together, within one of them given. */
const covered = (intervals: Interval[], within: Interval): number => {
  let sum = 0
  let reached = within[0]
  for (const [start, end] of intervals.sort((a, b) => a[0] - b[0])) {
    const from = Math.max(start, reached)
    const to = Math.min(end, within[1])
    if (to > from) sum += to - from
    reached = Math.max(reached, Math.min(end, within[1]))
  }
  return sum
}

const intervalOf = (columns: RolloutLaneColumns, at: number): Interval => {
  const start = columns.at[at] ?? 0
  return [start, start + Math.max(0, columns.durationMs[at] ?? 0)]
}

/** Of each step: when no tool ran and nobody was waited for; and how long its tools ran. */
const timesOf = ({ steps, tools, waits }: RolloutColumns): { model: Float64Array; tool: Float64Array } => {
  const n = steps.idx.length
  const model = new Float64Array(n)
  const tool = new Float64Array(n)
  let nextTool = 0
  let nextWait = 0
  for (let at = 0; at < n; at += 1) {
    const until = steps.idx[at + 1] ?? Number.POSITIVE_INFINITY
    const other: Interval[] = []
    const ran: Interval[] = []
    for (; nextTool < tools.idx.length && (tools.idx[nextTool] ?? 0) < until; nextTool += 1) {
      const interval = intervalOf(tools, nextTool)
      ran.push(interval)
      other.push(interval)
    }
    for (; nextWait < waits.idx.length && (waits.idx[nextWait] ?? 0) < until; nextWait += 1)
      other.push(intervalOf(waits, nextWait))
    const whole = intervalOf(steps, at)
    model[at] = Math.max(0, whole[1] - whole[0] - covered(other, whole))
    tool[at] = covered(ran, [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY])
  }
  return { model, tool }
}

const sum = (values: ArrayLike<number>): number => {
  let all = 0
  for (let at = 0; at < values.length; at += 1) all += Math.max(0, values[at] ?? 0)
  return all
}

type Sums = RolloutSkeleton['series'] & { usage: Usage; modelMs: number; toolMs: number }

/** Sums along the steps at no more than so many of them, the last one always among them. */
const seriesOf = (columns: RolloutColumns, points: number): Sums => {
  const { steps } = columns
  const n = steps.idx.length
  const { model, tool } = timesOf(columns)
  const series: RolloutSkeleton['series'] = {
    idx: [],
    startMs: [],
    step: [],
    context: [],
    cached: [],
    inputSum: [],
    cachedSum: [],
    outputSum: [],
    costSum: [],
    modelMsSum: [],
    toolMsSum: [],
  }
  const every = Math.max(1, Math.ceil(n / points))
  let usage = noUsage
  let cost = 0
  let modelMs = 0
  let toolMs = 0
  for (let at = 0; at < n; at += 1) {
    const input = steps.input[at] ?? 0
    const cachedInput = steps.cachedInput[at] ?? 0
    usage = addUsage(usage, {
      input,
      cachedInput,
      cacheWrite: steps.cacheWrite[at] ?? 0,
      output: steps.output[at] ?? 0,
      reasoning: steps.reasoning[at] ?? 0,
    })
    cost += Math.max(0, steps.costMicros[at] ?? 0)
    modelMs += model[at] ?? 0
    toolMs += tool[at] ?? 0
    if ((at + 1) % every !== 0 && at !== n - 1) continue
    series.idx.push(steps.idx[at] ?? 0)
    series.startMs.push(steps.at[at] ?? 0)
    series.step.push(at + 1)
    series.context.push(input)
    series.cached.push(cachedInput)
    series.inputSum.push(usage.input)
    series.cachedSum.push(usage.cachedInput)
    series.outputSum.push(usage.output)
    series.costSum.push(cost)
    series.modelMsSum.push(modelMs)
    series.toolMsSum.push(toolMs)
  }
  return { ...series, usage, modelMs, toolMs }
}

const windowsOf = (columns: RolloutColumns, limit: number): RolloutSkeleton['windows'] => {
  const all = columns.windows.map((window, place) => ({
    windowId: window.windowId,
    index: window.index ?? place,
    idx: window.idx,
    seq: window.seq,
    startMs: window.at,
    reason: window.reason ?? ('first_turn' as const),
    tokens: window.tokens ?? 0,
    endTokens: window.endTokens,
    steps: window.steps,
  }))
  if (all.length <= limit) return all
  const every = Math.ceil(all.length / limit)
  return all.filter((_, place) => place % every === 0)
}

export type NotableLabels = ReadonlyMap<number, { seq: number; label: string }>

type Given = {
  thread: ThreadProjection
  imported: RolloutSkeleton['imported']
  mark: RolloutMark
  columns: RolloutColumns
  /** Of the rows in `columns.notable`. */
  labels: NotableLabels
  models: string[]
}

const made = ({ thread, imported, mark, columns, labels, models }: Given, limits: Most): RolloutSkeleton => {
  const { steps, tools, waits, agents, turns } = columns
  const untilMs = columns.lastAt - columns.firstAt
  const { usage, modelMs, toolMs, ...series } = seriesOf(columns, limits.series)
  const lane = (of: RolloutLaneColumns, limit: number): RolloutSpans => mergeSpans(of, limit, untilMs)
  const kind = (name: keyof RolloutColumns['kinds']): number => columns.kinds[name] ?? 0
  const costs = steps.costMicros.filter((cost) => cost >= 0)
  return {
    threadId: thread.id,
    title: thread.title,
    imported,
    head: mark.seq,
    logHead: mark.head,
    firstAt: columns.firstAt,
    lastAt: columns.lastAt,
    rows: mark.rows,
    counts: {
      events: mark.events,
      kinds: {
        turn: kind('turn'),
        window: kind('window'),
        step: kind('step'),
        message: kind('message'),
        tool: kind('tool'),
        marker: kind('marker'),
        record: kind('record'),
      },
      tools: columns.toolNames,
    },
    totals: {
      turns: kind('turn'),
      steps: kind('step'),
      usage,
      costMicros: costs.length === 0 ? null : sum(costs),
      modelMs,
      toolMs,
      waitMs: sum(waits.durationMs),
      errors: columns.errors,
      retries: sum(steps.retries),
      filesChanged: thread.filesChanged,
      additions: thread.additions,
      deletions: thread.deletions,
    },
    models,
    windows: windowsOf(columns, limits.windows),
    windowsTotal: columns.windows.length,
    turns: lane(turns, limits.turns),
    lanes: {
      steps: lane(steps, limits.steps),
      tools: lane(tools, limits.tools),
      waits: lane(waits, limits.waits),
      agents: lane(agents, limits.agents),
    },
    series,
    notable: columns.notable.slice(-limits.notable).map(({ idx, type }) => ({
      idx,
      type,
      seq: labels.get(idx)?.seq ?? 0,
      label: labels.get(idx)?.label ?? '',
    })),
    notableTotal: columns.notableTotal,
  }
}

/** The skeleton in at most `maxSkeletonBytes` bytes of JSON, with as much detail as that allows. */
export const skeletonOf = (given: Given): RolloutSkeleton => {
  let share = 1
  for (;;) {
    const limits = Object.fromEntries(
      Object.entries(most).map(([name, limit]) => [name, Math.max(8, Math.floor(limit * share))]),
    ) as Most
    const skeleton = made(given, limits)
    const bytes = Buffer.byteLength(JSON.stringify(skeleton))
    if (bytes <= maxSkeletonBytes || share < 0.02) return skeleton
    share *= Math.min(0.9, (maxSkeletonBytes / bytes) * 0.95)
  }
}
