/**
 * A rollout as Codex writes its own, so that it can go on from there: what the model was given, window by window, as
 * response items; a new window replaces the history of the one before, which Codex knows as a compaction. Events that
 * only people see are added for its screen. Holds the beginning of one window at a time.
 */
import type { ThreadEvent, Usage } from '../../../protocol/event.ts'
import { addUsage, noUsage } from '../../../protocol/event.ts'
import type { Item } from '../../../protocol/item.ts'
import type { Cut } from './cut.ts'
import { instructionsText, type ResponseItem, responseItems } from './response-items.ts'
import type { BlockRead, RolloutSource, WindowHead } from './source.ts'
import { blobBytes, longText } from './texts.ts'

/** The version whose lines these are. */
const cliVersion = '0.171.0'
const cwd = '/workspace'
/** Bytes of one text or picture; what Codex is given must be whole. */
const largest = 67_108_864

const uuidOf = (id: string): string => id.slice(id.indexOf('_') + 1)

const tokens = (usage: Usage): Record<string, number> => ({
  input_tokens: usage.input,
  cached_input_tokens: usage.cachedInput,
  cache_write_input_tokens: usage.cacheWrite,
  output_tokens: usage.output,
  reasoning_output_tokens: usage.reasoning,
  total_tokens: usage.input + usage.output,
})

/** What a model put out; the rest of a window was put in. */
const isOutput = (kind: string): boolean =>
  kind === 'assistant' || kind === 'reasoning' || kind === 'tool_call' || kind === 'other'

type Write = (type: string, payload: Record<string, unknown>) => string

/** Reads the blocks of one window forward, as items. */
const createCursor = (source: RolloutSource, cut: Cut, window: WindowHead) => {
  const pages = source.blocks(window)
  let page: BlockRead[] = []
  let at = 0
  const peek = async (): Promise<BlockRead | null> => {
    while (at >= page.length) {
      const next = await pages.next()
      if (next.done) return null
      page = next.value
      at = 0
    }
    return page[at] ?? null
  }
  const itemsOf = async (read: BlockRead): Promise<ResponseItem[]> => {
    const block = cut.block(read)
    const wire = block.wire ?? (await blobBytes(cut, block.wireHash, largest))
    return wire === null ? [] : responseItems(window.frozen.wire, block.kind, wire)
  }
  let itemIds: (string | null)[] | null = null
  const heads = async (): Promise<(string | null)[]> => {
    if (itemIds) return itemIds
    itemIds = []
    for await (const each of source.blocks(window)) itemIds.push(...each.map(({ itemId }) => itemId))
    return itemIds
  }
  let counts: Map<string, number> | null = null
  return {
    /** The block that the request after this step's had not, so that what lies before it may be the step's output. */
    endOf: async (stepId: string | undefined): Promise<number> => {
      if (!counts) {
        counts = new Map()
        let before = ''
        for await (const each of source.steps(window))
          for (const step of each) {
            counts.set(before, step.blockCount)
            before = step.stepId
          }
      }
      return counts.get(stepId ?? '') ?? Number.POSITIVE_INFINITY
    },
    /** The last block that is about one of these items; -1 = none is. */
    lastOf: async (seen: ReadonlySet<string>): Promise<number> =>
      (await heads()).findLastIndex((itemId) => itemId !== null && seen.has(itemId)),
    /** Items of the blocks that come next, for as long as `takes` says so. */
    take: async function* (takes: (block: BlockRead) => boolean): AsyncGenerator<ResponseItem> {
      for (let block = await peek(); block !== null && takes(block); block = await peek()) {
        at += 1
        yield* await itemsOf(block)
      }
    },
  }
}

const instructionsOf = async (source: RolloutSource, cut: Cut): Promise<string> => {
  const window = source.manifest.windows.at(-1)
  if (!window) return ''
  for await (const page of source.blocks(window)) {
    const own = page.find(({ kind }) => kind === 'instructions')
    if (!own) return ''
    const block = cut.block(own)
    const wire = block.wire ?? (await blobBytes(cut, block.wireHash, largest))
    return wire === null ? '' : instructionsText(wire)
  }
  return ''
}

/** Of a window without blocks: an item that was said or done, as it would have stood in a request. */
const itemAsInput = async (cut: Cut, item: Item): Promise<ResponseItem[]> => {
  const words = async (long: { text: string }): Promise<string> => (await longText(cut, long, largest)).text
  if (item.type === 'user_message') {
    const content = await userParts(cut, item)
    return [{ type: 'message', role: 'user', content }]
  }
  if (item.type === 'agent_message')
    return [
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: await words(item.text) }],
      },
    ]
  if (item.type !== 'tool_call') return []
  const output = 'output' in item.state ? await words(item.state.output) : ''
  return [
    {
      type: 'function_call',
      name: item.tool,
      call_id: item.callId,
      arguments: await words(item.arguments),
    },
    { type: 'function_call_output', call_id: item.callId, output },
  ]
}

const userParts = async (
  cut: Cut,
  item: Extract<Item, { type: 'user_message' }>,
): Promise<Record<string, unknown>[]> => {
  const parts: Record<string, unknown>[] = []
  for (const part of item.content) {
    if (part.type === 'text') {
      const { text } = await longText(cut, part, largest)
      parts.push({ type: 'input_text', text })
    } else if (part.type === 'image') {
      const bytes = await blobBytes(cut, part.blob, largest)
      if (bytes)
        parts.push({
          type: 'input_image',
          image_url: `data:${part.mediaType};base64,${bytes.toString('base64')}`,
        })
    } else parts.push({ type: 'input_text', text: `[file ${part.name}, ${part.bytes} bytes]` })
  }
  return parts
}

/** What Codex shows of an item. */
const shown = async (cut: Cut, item: Item): Promise<Record<string, unknown> | null> => {
  if (item.type === 'user_message') {
    const parts = await userParts(cut, item)
    const message = parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('')
    return { type: 'user_message', message, kind: 'plain', images: [] }
  }
  if (item.type === 'agent_message')
    return { type: 'agent_message', message: (await longText(cut, item.text, largest)).text }
  if (item.type === 'reasoning') {
    const { text } = await longText(cut, item.text, largest)
    return text === '' ? null : { type: 'agent_reasoning', text }
  }
  return null
}

export async function* writeCodex(source: RolloutSource, cut: Cut): AsyncGenerator<string> {
  const { manifest } = source
  const windows = new Map(
    manifest.windows.flatMap((window) => (window.blocks > 0 ? [[window.windowId, window]] : [])),
  )
  /** Of these no request is known, as in sessions of programs that keep none: the items tell what it was. */
  const empty = new Set(manifest.windows.flatMap(({ windowId, blocks }) => (blocks > 0 ? [] : [windowId])))
  const threadUuid = uuidOf(manifest.threadId)
  let at = manifest.createdAt
  let total = noUsage
  let lastMessage: string | null = null
  let model = manifest.windows[0]?.frozen.model ?? ''
  let cursor: ReturnType<typeof createCursor> | null = null
  let hasHistory = false
  /** Items that were completed in the window. */
  const seen = new Set<string>()

  const line: Write = (type, payload) =>
    `${JSON.stringify({ timestamp: new Date(at).toISOString(), type, payload })}\n`
  async function* items(takes: (block: BlockRead) => boolean): AsyncGenerator<string> {
    if (!cursor) return
    for await (const item of cursor.take(takes)) {
      hasHistory = true
      yield line('response_item', item)
    }
  }

  /** What was said and done so far, though no request has told it: a turn ends with all that belongs to it. */
  async function* rest(): AsyncGenerator<string> {
    if (!cursor) return
    const until = await cursor.lastOf(seen)
    yield* items(({ idx }) => idx <= until)
  }

  const instructions = await instructionsOf(source, cut)
  yield line('session_meta', {
    id: threadUuid,
    session_id: threadUuid,
    timestamp: new Date(at).toISOString(),
    cwd,
    originator: 'baton',
    cli_version: cliVersion,
    source: 'exec',
    thread_source: 'user',
    // No provider: Codex refuses to resume a session under another one than its file names.
    ...(instructions === '' ? {} : { base_instructions: { text: instructions } }),
    exported: { title: cut.text(manifest.title), redacted: cut.redacted },
  })

  async function* openWindow(event: Extract<ThreadEvent, { type: 'window.opened' }>): AsyncGenerator<string> {
    yield* items(() => true)
    const window = windows.get(event.windowId)
    cursor = null
    if (!window) return
    model = window.frozen.model
    cursor = createCursor(source, cut, window)
    seen.clear()
    if (!hasHistory) return
    const history: ResponseItem[] = []
    for await (const item of cursor.take(({ idx }) => idx < event.body.blocks)) history.push(item)
    yield line('compacted', { message: '', replacement_history: history })
  }

  async function* tell(read: ThreadEvent): AsyncGenerator<string> {
    const event = cut.event(read)
    at = event.at
    const turn_id = event.turnId === undefined ? undefined : uuidOf(event.turnId)
    switch (event.type) {
      case 'window.opened':
        yield* openWindow(event)
        return
      case 'turn.started':
        yield line('event_msg', { type: 'task_started', turn_id, model_context_window: null })
        yield line('turn_context', {
          turn_id,
          cwd,
          approval_policy: 'on-request',
          sandbox_policy: { type: 'read-only' },
          model: model === '' ? event.body.model.model : model,
          summary: 'auto',
        })
        return
      case 'step.started':
        yield* items(({ idx }) => idx < event.body.blockCount)
        return
      case 'item.completed': {
        seen.add(event.body.item.id)
        const told = await shown(cut, event.body.item)
        // Of a file whose windows come after what they hold, the items will tell it.
        const isBare = windows.size === 0 || (event.windowId !== undefined && empty.has(event.windowId))
        if (told && (cursor !== null || isBare)) yield line('event_msg', told)
        if (told?.type === 'agent_message') lastMessage = String(told.message)
        if (!isBare) return
        hasHistory = true
        for (const item of await itemAsInput(cut, event.body.item)) yield line('response_item', item)
        return
      }
      case 'step.completed': {
        const end = await cursor?.endOf(event.stepId)
        yield* items(({ kind, idx }) => isOutput(kind) && idx < (end ?? 0))
        total = addUsage(total, event.body.usage)
        yield line('event_msg', {
          type: 'token_count',
          info: {
            total_token_usage: tokens(total),
            last_token_usage: tokens(event.body.usage),
            model_context_window: event.body.contextLimit > 0 ? event.body.contextLimit : null,
          },
          rate_limits: null,
        })
        return
      }
      case 'turn.completed':
        yield* rest()
        yield line('event_msg', { type: 'task_complete', turn_id, last_agent_message: lastMessage })
        return
      case 'turn.interrupted':
        yield* rest()
        yield line('event_msg', { type: 'turn_aborted', turn_id, reason: 'interrupted' })
        return
      case 'turn.failed':
      case 'turn.limited':
        yield* rest()
        yield line('event_msg', { type: 'error', message: event.body.error.message })
        yield line('event_msg', { type: 'task_complete', turn_id, last_agent_message: lastMessage })
        return
      default:
    }
  }

  for await (const page of source.events()) for (const event of page) yield* tell(event)
  yield* items(() => true)
}
