/**
 * The third strategy: three cuts, each deeper than the one before. Each opens a window whose list begins with what was
 * kept, byte for byte, so that most of it is still cached; the history keeps everything.
 */
import type { ToolCall, WindowReason } from '../../../protocol/item.ts'
import { marksOf } from '../../context/fill.ts'
import { cutNotice, cutResult } from '../../context/fragments/cut-notices.ts'
import { readableText } from '../../context/text.ts'
import { carry } from '../../context/window.ts'
import type { PromptBlock } from '../../providers/types.ts'
import { putPinned } from '../compose.ts'
import { type Draft, openNextWindow } from '../new-window.ts'
import { lookForRules, recallRules } from '../rules.ts'
import type { TurnRun } from '../run.ts'
import { type Cut, cutMiddle, cutResults, cutToLatest } from './cuts.ts'
import type { WindowStrategy } from './types.ts'
import { windowsStrategy } from './windows.ts'

/** Shares of the limit at which each cut is made, and the least that one must free to be worth a new window. */
const shares = { results: 0.6, middle: 0.75, latest: 0.9 } as const
const leastFreed = { results: 0.1, middle: 0.05 } as const
/** Characters of a cut result's beginning that stay. */
const beginningChars = 200

type CutReason = Extract<WindowReason, 'results_cut' | 'middle_cut' | 'latest_only'>

const planOf = (run: TurnRun, reason: CutReason, limit: number): Cut => {
  const { window } = run.input
  switch (reason) {
    case 'results_cut':
      return cutResults(window, limit)
    case 'middle_cut':
      return cutMiddle(window, limit)
    case 'latest_only':
      return cutToLatest(window, limit, new Set(run.messages.map(({ id }) => id)))
  }
}

export const layersStrategy: WindowStrategy = {
  decide(run, { used, limit }) {
    const frees = (reason: CutReason): number => planOf(run, reason, limit).freed / limit
    if (used >= limit * shares.latest) return { type: 'open', reason: 'latest_only' }
    if (used >= limit * shares.middle && frees('middle_cut') >= leastFreed.middle)
      return { type: 'open', reason: 'middle_cut' }
    if (used >= limit * shares.results && frees('results_cut') >= leastFreed.results)
      return { type: 'open', reason: 'results_cut' }
    return { type: 'none' }
  },

  async open(run, opening) {
    const { reason } = opening
    // A window that somebody asked for is a new one, not a cut.
    const isCut = reason === 'results_cut' || reason === 'middle_cut' || reason === 'latest_only'
    if (!isCut && reason !== 'overflow') return windowsStrategy.open(run, opening)
    const { window, model } = run.input
    const { limit } = marksOf(model, run.ports.control.settings().window)
    // A provider that refused the request holds less than its figures say.
    const room = isCut ? limit : Math.min(limit, window.tokens)
    const cut = planOf(run, isCut ? reason : 'latest_only', room)
    await openNextWindow(run, opening, composeCut(run, cut, reason), false)
  },
}

const composeCut =
  (run: TurnRun, cut: Cut, reason: WindowReason) =>
  async (draft: Draft): Promise<void> => {
    const { ports, input } = run
    const old = input.window
    if (run.rules === undefined) await lookForRules(run, true)
    await ports.recorder.flush()
    const ids = cut.kept.flatMap(({ at, cut: isCut }) => (isCut ? (old.rows[at]?.itemId ?? []) : []))
    const [recall, items] = await Promise.all([ports.recall(), ports.items(ids)])
    await recallRules(run, recall)
    const calls = new Map(items.flatMap((item) => (item.type === 'tool_call' ? [[item.id, item]] : [])))
    for (const { at, cut: isCut } of cut.kept) {
      const row = old.rows[at]
      const call = row?.itemId == null ? undefined : calls.get(row.itemId)
      if (!isCut || call === undefined) {
        draft.keep([carry(draft.window, old, at)])
        continue
      }
      draft.put(shortened(call, old.wire[at]?.group ?? ''), { reason: 'cut', itemId: call.id })
    }
    draft.world()
    await putPinned(run, draft, recall.pinned)
    if (reason === 'results_cut') return
    const level = reason === 'middle_cut' ? 'middle' : 'latest'
    const text = cutNotice(level, cut.removed, old.windowId)
    draft.put({ kind: 'developer', parts: [{ type: 'text', text }] }, { reason: 'cut_notice' })
  }

const shortened = (call: ToolCall, group: string): PromptBlock => {
  const output = 'output' in call.state ? call.state.output : { text: '' }
  const beginning = readableText(output.text.slice(0, beginningChars))
  const text = cutResult(call.id, beginning, output.chars ?? output.text.length)
  return {
    kind: 'tool_result',
    callId: call.callId,
    name: call.tool,
    parts: [{ type: 'text', text }],
    isError: call.state.status !== 'succeeded',
    group,
  }
}
