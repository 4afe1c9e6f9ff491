/**
 * Opens a window: composes what it begins with, sees that it fits, and writes the end of the old window, the new one and
 * its blocks in one append. What it is given is the strategy's choice; how it is recorded is the same for all.
 */
import { sha256 } from '../../lib/sha256.ts'
import { Fault } from '../../protocol/error.ts'
import {
  type EventBody,
  type GivenBlock,
  leftItemIds,
  type NewEvent,
  rulesInEvent,
} from '../../protocol/event.ts'
import type { HandOver, WindowReason } from '../../protocol/item.ts'
import { hasInstructions, hasTools, openWindow } from '../context/assemble.ts'
import { learnedOf } from '../context/budget.ts'
import { fillOf, marksOf } from '../context/fill.ts'
import type { NewBlock, WindowFrozen, WindowState } from '../context/types.ts'
import { append, type BlockNote, carry, emptyWindow } from '../context/window.ts'
import { appendWorld } from '../context/world/world.ts'
import type { PromptBlock } from '../providers/types.ts'
import { releaseHeadCopy } from './head-copy.ts'
import { recorded, type TurnRun } from './run.ts'

/** Bytes of JSON of the list of blocks that the event itself carries. */
const givenBytes = 2_800
const focusChars = 500

export type Opening = { reason: WindowReason; focus: string | null }

/** A window that is being composed; nothing of it is recorded yet. */
export type Draft = {
  readonly window: WindowState
  put(block: PromptBlock, about: BlockNote): void
  keep(rows: NewBlock[]): void
  /** The world in full, or what differs from what was carried over. */
  world(): void
  /** What the model is told of the time before, for people. */
  hint: string | null
}

export const worldFacts = (run: TurnRun) => {
  const { input, ports } = run
  const settings = ports.control.settings()
  return {
    environment: { cwd: run.cwd, now: ports.clock.now() },
    settings,
    model: { id: input.model.id, label: input.model.label },
    projectInstructions: input.projectInstructions,
    rules: run.rules === undefined || run.rules === null ? run.rules : run.rules.text,
    strategy: input.tools.find('new_context') === null ? null : settings.strategy,
  }
}

/** How a window of the turn's model speaks for its whole life. */
const frozenOf = ({ input }: TurnRun): WindowFrozen => {
  const { window, model, provider, traits } = input
  return {
    wire: provider.wire.kind,
    model: model.id,
    family: model.family,
    traits,
    thinking: model.supports.reasoning,
    // What was learned of one model's counting says nothing of another's.
    ...(window.frozen?.family === model.family ? { learned: learnedOf(window) } : {}),
  }
}

const isHead = (kind: string): boolean => kind === 'tool' || kind === 'instructions'

/** Whether the window before begins with the very bytes that this one would. */
const sameHead = ({ input }: TurnRun): boolean => {
  const { window: old, provider, tools, traits } = input
  const { frozen } = old
  return (
    frozen !== null &&
    frozen.wire === provider.wire.kind &&
    frozen.family === input.model.family &&
    JSON.stringify(frozen.traits) === JSON.stringify(traits) &&
    hasTools(old, tools.specs) &&
    hasInstructions(old)
  )
}

/** A draft with tools and instructions, or one that `compose` fills from its first block on. */
const draftOf = (run: TurnRun, withHead: boolean): { draft: Draft; rows: NewBlock[] } => {
  const { input, ports } = run
  const { window: old, provider, tools } = input
  const isFirst = old.frozen === null
  const window = isFirst
    ? emptyWindow(old.windowId, old.index)
    : emptyWindow(ports.newId('win'), old.index + 1)
  const rows: NewBlock[] = []
  const keep = (more: NewBlock[]): void => {
    rows.push(...more)
  }
  if (withHead && sameHead(run)) {
    window.frozen = frozenOf(run)
    // Made once already: neither encoded nor counted again.
    keep(old.rows.flatMap(({ kind }, at) => (isHead(kind) ? [carry(window, old, at, 'window_start')] : [])))
  } else if (withHead) keep(openWindow(window, provider.wire, frozenOf(run), tools.specs))
  else if (old.frozen !== null) window.frozen = { ...old.frozen, learned: learnedOf(old) }
  const draft: Draft = {
    window,
    put: (block, about) => {
      const row = append(window, provider.wire, block, about)
      if (row !== null) rows.push(row)
    },
    keep,
    world: () => keep(appendWorld(window, provider.wire, worldFacts(run))),
    hint: null,
  }
  return { draft, rows }
}

/**
 * Opens the next window, or the thread's first. `withHead`: tools and instructions are put first; otherwise `compose`
 * carries them over from the window before. Throws the Fault `window_too_small`, with what to cut, before anything is
 * written.
 */
export const openNextWindow = async (
  run: TurnRun,
  { reason, focus }: Opening,
  compose: (draft: Draft) => Promise<void>,
  withHead = true,
): Promise<void> => {
  const { input, ports } = run
  const open = async (): Promise<void> => {
    const old = input.window
    const { draft, rows } = draftOf(run, withHead)
    await compose(draft)
    const { window } = draft
    // With what was learned of the model's counting: a window that is full by it would be left before it is used.
    const { used, limit } = fillOf(window, input.model, ports.control.settings().window)
    if (used >= limit) throw tooSmall(window, used, limit)
    const body = await openedBody(run, draft, rows, { reason, focus })
    const inWindow = (event: NewEvent): NewEvent => ({ ...event, windowId: window.windowId })
    const isFirst = old.frozen === null
    const closedBody = { index: old.index, reason, tokens: old.tokens }
    const opening = {
      window: { windowId: window.windowId, index: window.index, frozen: window.frozen as WindowFrozen },
      blocks: rows,
      event: inWindow(run.event('window.opened', body)),
      ...(isFirst
        ? {}
        : { closed: { event: run.event('window.closed', closedBody), blocks: run.takeRows() } }),
      after: isFirst ? [] : [inWindow(handOverEvent(run, old, window, reason))],
    }
    const { committed } = await recorded(() => ports.recorder.openWindow(opening), run.halt)
    // The thread's first window is the one that the caller holds already.
    input.window = isFirst ? Object.assign(old, window) : window
    if (!isFirst) releaseHeadCopy(old)
    run.windowSteps = 0
    run.wantsWindow = false
    ports.windowOpened(input.window)
    await recorded(() => committed, run.halt)
  }
  const context = { windowId: input.window.windowId, reason }
  await ports.interceptors
    .flatMap((each) => (each.window === undefined ? [] : [each.window]))
    .reduceRight<() => Promise<void>>((next, each) => () => each(context, next), open)()
}

const handOverEvent = (run: TurnRun, old: WindowState, next: WindowState, reason: WindowReason): NewEvent => {
  const id = run.ports.newId('itm')
  const item: HandOver = {
    id,
    type: 'hand_over',
    fromWindowId: old.windowId,
    toWindowId: next.windowId,
    reason,
    index: next.index,
  }
  return run.event('item.completed', { item }, { itemId: id, actorId: 'system' })
}

const openedBody = async (
  run: TurnRun,
  { window, hint }: Draft,
  rows: readonly NewBlock[],
  { reason, focus }: Opening,
): Promise<EventBody<'window.opened'>> => {
  const { input, ports } = run
  const settings = ports.control.settings()
  const old = input.window
  const all = givenOf(rows)
  const given: GivenBlock[] = []
  for (const entry of all) {
    if (JSON.stringify([...given, entry]).length > givenBytes) break
    given.push(entry)
  }
  const givenBlob =
    given.length === all.length ? undefined : await ports.recorder.blob(Buffer.from(JSON.stringify(all)))
  const pinned = rows.filter((row) => row.reason === 'pinned').flatMap(({ itemId }) => itemId ?? [])
  return {
    index: window.index,
    reason,
    blocks: rows.length,
    tokens: window.tokens,
    strategy: settings.strategy,
    limitTokens: marksOf(input.model, settings.window).limit,
    given,
    ...(givenBlob === undefined ? {} : { givenBlob }),
    ...(old.frozen === null ? {} : { fromWindowId: old.windowId, left: leftBehind(old, window) }),
    ...(hint === null ? {} : { hint: await ports.recorder.long(hint) }),
    rules: (run.rules?.files ?? []).slice(0, rulesInEvent),
    pinned,
    ...(focus === null ? {} : { focus: focus.slice(0, focusChars).toWellFormed() }),
  }
}

/** The tools are one entry: there are many, and they are always the same. */
const givenOf = (rows: readonly NewBlock[]): GivenBlock[] => {
  const tools = rows.filter(({ kind }) => kind === 'tool')
  const others = rows
    .filter(({ kind }) => kind !== 'tool')
    .map(({ kind, tokens, reason, itemId, hash }) => ({
      kind,
      tokens,
      reason,
      ...(itemId === null ? {} : { itemId }),
      hash,
    }))
  const first = tools[0]
  if (first === undefined) return others
  const hash = sha256(tools.map((tool) => tool.hash).join('\n'))
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0)
  return [{ kind: 'tool', tokens, reason: first.reason, hash, count: tools.length }, ...others]
}

const leftBehind = (old: WindowState, next: WindowState): EventBody<'window.opened'>['left'] => {
  const kept = new Set(next.rows.map(({ kind, hash }) => `${kind} ${hash}`))
  const rows = old.rows.filter(({ kind, hash }) => !kept.has(`${kind} ${hash}`))
  const keptItems = new Set(next.rows.map(({ itemId }) => itemId))
  const ids = new Set(
    rows.flatMap(({ itemId }) => (itemId === null || keptItems.has(itemId) ? [] : [itemId])),
  )
  return {
    blocks: rows.length,
    items: ids.size,
    tokens: rows.reduce((sum, { tokens }) => sum + tokens, 0),
    itemIds: [...ids].slice(-leftItemIds),
  }
}

/** What takes the room, largest first, and what a person can do about the largest. */
export const tooSmall = (window: WindowState, used: number, limit: number): Fault => {
  const parts = { rules: 0, message: 0, pinned: 0, hint: 0, tools: 0, rest: 0 }
  for (const { kind, reason, tokens } of window.rows) {
    if (kind === 'world:rules') parts.rules += tokens
    else if (reason === 'pinned') parts.pinned += tokens
    else if (kind === 'user') parts.message += tokens
    else if (kind === 'tool' || kind === 'instructions') parts.tools += tokens
    else if (reason === 'hint') parts.hint += tokens
    else parts.rest += tokens
  }
  const names = {
    rules: 'rules (AGENTS.md)',
    message: 'message',
    pinned: 'pinned items',
    hint: 'hint',
    tools: 'tools and instructions',
    rest: 'state of things',
  }
  const next = {
    rules: 'Shorten the AGENTS.md files, or choose a model with a larger window.',
    message:
      'Send a shorter message (a long text as a file in the workspace), or choose a model with a larger window.',
    pinned: 'Unpin what need not come along, or choose a model with a larger window.',
    hint: 'Raise the limit of the window in the settings, or choose a model with a larger window.',
    tools: 'Raise the limit of the window in the settings, or choose a model with a larger window.',
    rest: 'Shorten the instructions of the project, or choose a model with a larger window.',
  }
  const sorted = (Object.entries(parts) as [keyof typeof parts, number][])
    .filter(([, tokens]) => tokens > 0)
    .sort(([, a], [, b]) => b - a)
  // Tools cannot be cut by anybody, so what can be comes first when it is large as well.
  const cuttable = sorted.find(([name, tokens]) => name !== 'tools' && name !== 'hint' && tokens * 4 >= limit)
  const list = sorted.map(([name, tokens]) => `${names[name]} ${tokens}`).join(', ')
  return new Fault(
    'window_too_small',
    `A window would begin with about ${used} tokens, and ${limit} fit: ${list}.`,
    next[(cuttable ?? sorted[0])?.[0] ?? 'rest'],
    { tokens: used, limit, ...parts },
  )
}
