/**
 * Texts in flight of one thread: what a reader gets on subscribing, and what is saved once a second. A command's output
 * is kept in memory only, its last part. Knows no database.
 */
import type { ItemDelta, ThreadEvent } from '../../protocol/event.ts'
import type { Draft } from '../../protocol/thread.ts'

/** UTF-16 units of a running command's output that are kept. */
const outputChars = 65_536

export type Drafts = {
  add(delta: ItemDelta): void
  /** Forgets what an event completes; answers with the items whose saved drafts are over. */
  end(event: ThreadEvent): string[]
  list(): Draft[]
  /** Texts (not output) that changed since the last call. */
  changed(): Draft[]
  /** No text is in flight any more; output of commands that go on stays. */
  clearTexts(): void
}

const keyOf = (itemId: string, part: string): string => `${itemId}:${part}`

export const createDrafts = (): Drafts => {
  const drafts = new Map<string, Draft>()
  const dirty = new Set<string>()

  return {
    add: ({ itemId, part, offset, text, nextOffset }) => {
      const key = keyOf(itemId, part)
      const known = drafts.get(key)
      if (part !== 'output') {
        const before = known?.text ?? ''
        // Offsets are the writer's own count; a piece that comes again overwrites itself.
        const whole = offset === before.length ? before + text : before.slice(0, offset) + text
        drafts.set(key, { itemId, part, offset: 0, text: whole })
        dirty.add(key)
        return
      }
      const end = nextOffset ?? offset + Buffer.byteLength(text)
      if (known?.nextOffset !== undefined && end <= known.nextOffset) return
      const joins = known !== undefined && known.nextOffset === offset
      const all = joins ? known.text + text : text
      if (all.length <= outputChars) {
        drafts.set(key, { itemId, part, offset: joins ? known.offset : offset, text: all, nextOffset: end })
        return
      }
      const kept = all.slice(-outputChars).toWellFormed()
      drafts.set(key, { itemId, part, offset: end - Buffer.byteLength(kept), text: kept, nextOffset: end })
    },

    end: (event) => {
      if (event.type === 'command.exited') drafts.delete(keyOf(event.body.itemId, 'output'))
      if (event.type !== 'item.completed') return []
      const { id } = event.body.item
      const had = ['text', 'arguments'].filter((part) => {
        dirty.delete(keyOf(id, part))
        return drafts.delete(keyOf(id, part))
      })
      return had.length > 0 ? [id] : []
    },

    list: () => [...drafts.values()],

    changed: () => {
      const changed = [...dirty].flatMap((key) => drafts.get(key) ?? [])
      dirty.clear()
      return changed
    },

    clearTexts: () => {
      for (const [key, { part }] of drafts) if (part !== 'output') drafts.delete(key)
      dirty.clear()
    },
  }
}
