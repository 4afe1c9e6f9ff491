/**
 * Texts in flight, overwritten as they grow, gone when their item is complete.
 */
import type { Draft } from '../../protocol/thread.ts'
import { cleanText } from './append.ts'
import type { Db } from './db.ts'
import type { DraftStore } from './types.ts'

export const createDraftStore = (db: Db): DraftStore => ({
  save: async (threadId, drafts) => {
    if (drafts.length === 0) return
    await db.query(
      `insert into "ItemDraft" ("threadId", "itemId", part, "offset", text, "updatedAt")
       select $1, d.item, d.part, d.at, d.text, now()
       from unnest($2::text[], $3::text[], $4::int8[], $5::text[]) as d(item, part, at, text)
       on conflict ("threadId", "itemId", part)
       do update set "offset" = excluded."offset", text = excluded.text, "updatedAt" = excluded."updatedAt"`,
      [
        threadId,
        drafts.map((draft) => draft.itemId),
        drafts.map((draft) => draft.part),
        drafts.map((draft) => draft.offset),
        drafts.map((draft) => cleanText(draft.text)),
      ],
    )
  },

  list: async (threadId) => {
    const rows = await db.query<{ itemId: string; part: Draft['part']; offset: string; text: string }>(
      `select "itemId", part, "offset", text from "ItemDraft" where "threadId" = $1 order by "itemId", part`,
      [threadId],
    )
    return rows.map((row) => ({ ...row, offset: Number(row.offset) }))
  },

  clear: async (threadId) => {
    await db.query(`delete from "ItemDraft" where "threadId" = $1`, [threadId])
  },
})
