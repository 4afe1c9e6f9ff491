/** What the rest of the server may ask of the database about public links. Whether somebody may is asked before. */
import type { LinkOpening, LinkSettings, PublicLink } from '../../protocol/link.ts'

/** What the page of a link is made from. */
export type OpenLink = PublicLink & {
  fromSeq: number
  /** Null = it goes on. */
  toSeq: number | null
}

export type NewLink = Omit<LinkSettings, 'days'> & {
  threadId: string
  expiresInMs: number | null
  fromSeq: number
  toSeq: number | null
  /** The page of a copy, compressed; none of a live link. */
  pages: AsyncIterable<Uint8Array>
}

export type LinkStore = {
  /** The token is in the answer alone; its SHA-256 is kept. Fault `limit_reached` beyond 100 open links of a thread. */
  create(link: NewLink, actorId: string): Promise<{ link: PublicLink; token: string }>
  /** Null for what was never made, was revoked, has expired, or whose maker is no enabled member any more. */
  open(token: string): Promise<OpenLink | null>
  /** Of these ids the ones that still open, with the head of their thread's log. */
  alive(linkIds: string[]): Promise<Map<string, number>>
  /** The stored page of a copy, in pieces. */
  page(linkId: string): AsyncIterable<Uint8Array>
  opened(linkId: string, opening: Omit<LinkOpening, 'at'>): Promise<void>
  ofThread(threadId: string): Promise<PublicLink[]>
  /** Newest first; those that somebody made, or all. */
  list(wanted: { madeBy: string | null; cursor: string | null; limit: number }): Promise<PublicLink[]>
  /** Newest first, at most 200. */
  openings(linkId: string): Promise<LinkOpening[]>
  /** Null when there is no such link (of that thread); revoking twice changes nothing. */
  revoke(linkId: string, threadId: string | null, actorId: string): Promise<PublicLink | null>
  /** Called with the id of a link that was revoked by this process. */
  onRevoke(listener: (linkId: string) => void): () => void
}
