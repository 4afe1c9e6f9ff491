import { describe, expect, it } from 'vitest'
import type { ItemDelta, ThreadEvent } from '../../protocol/event.ts'
import { createDrafts } from './drafts.ts'

const piece = (part: ItemDelta['part'], offset: number, text: string, nextOffset?: number): ItemDelta => ({
  type: 'item.delta',
  threadId: 't',
  itemId: 'i',
  part,
  offset,
  text,
  ...(nextOffset === undefined ? {} : { nextOffset }),
})
const completed = { type: 'item.completed', body: { item: { id: 'i' } } } as ThreadEvent
const exited = { type: 'command.exited', body: { itemId: 'i' } } as ThreadEvent

describe('drafts', () => {
  it('join text, take a piece twice, and end with their item', () => {
    const drafts = createDrafts()
    drafts.add(piece('text', 0, 'Hel'))
    drafts.add(piece('text', 3, 'lo'))
    drafts.add(piece('text', 3, 'lo'))
    expect(drafts.list()).toEqual([{ itemId: 'i', part: 'text', offset: 0, text: 'Hello' }])
    expect(drafts.changed()).toHaveLength(1)
    expect(drafts.changed()).toEqual([])
    expect(drafts.end(completed)).toEqual(['i'])
    expect(drafts.end(completed)).toEqual([])
    expect(drafts.list()).toEqual([])
  })

  it('keep the last part of a command’s output until the command ends, and never save it', () => {
    const drafts = createDrafts()
    let offset = 0
    for (let index = 0; index < 40; index += 1) {
      const text = `${index} `.repeat(1_000)
      drafts.add(piece('output', offset, text, offset + text.length))
      offset += text.length
    }
    drafts.add(piece('output', 0, 'old', 3))
    const [draft] = drafts.list()
    expect(draft?.text.length).toBeLessThanOrEqual(65_536)
    expect(draft).toMatchObject({ nextOffset: offset, offset: offset - (draft?.text.length ?? 0) })
    expect(draft?.text.endsWith('39 ')).toBe(true)
    expect(drafts.changed()).toEqual([])
    drafts.end(completed)
    drafts.add(piece('text', 0, 'x'))
    drafts.clearTexts()
    expect(drafts.list()).toHaveLength(1)
    drafts.end(exited)
    expect(drafts.list()).toEqual([])
  })
})
