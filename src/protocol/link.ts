/**
 * Public links: a part of a thread for whoever has the link, as a redacted copy or as it goes on. What a link shows beside
 * messages and the names of tools is chosen one by one.
 */
import { z } from 'zod'
import { type ExportPreview, ExportRedaction } from './export.ts'

/**
 * What may be chosen: `tools` what tools were given and gave back, with paths and errors; `reasoning`; `pictures`;
 * `names` of people; `figures` are models, tokens, times and costs.
 */
export const linkShows = ['tools', 'reasoning', 'pictures', 'names', 'figures'] as const
export const LinkShow = z.enum(linkShows)
export type LinkShow = z.infer<typeof LinkShow>

export const linkDays = { max: 365 } as const

/** What is decided before a link is made. Steps count from 1; `toStep` null = up to now, or as it goes on. */
export const LinkSettings = z
  .object({
    title: z.string().trim().max(200),
    live: z.boolean(),
    fromStep: z.int().min(1).default(1),
    toStep: z.int().min(1).nullable().default(null),
    shows: z.array(LinkShow).max(linkShows.length).default([]),
    redaction: ExportRedaction.exclude(['none']).default('personal'),
    /** Null = until it is revoked. */
    days: z.int().min(1).max(linkDays.max).nullable().default(30),
  })
  .refine(({ fromStep, toStep }) => toStep === null || toStep >= fromStep, {
    path: ['toStep'],
    message: 'must not be before the first step',
  })
  .refine(({ live, toStep }) => !live || toStep === null, {
    path: ['toStep'],
    message: 'has no place in a link that goes on',
  })
export type LinkSettings = z.infer<typeof LinkSettings>

/** What the maker sees before: the page itself, how much is on it, and what is cut. */
export type LinkPreview = {
  /** The first 400,000 characters of the page, as it will be. */
  html: string
  isWhole: boolean
  counts: { turns: number; steps: number; messages: number; calls: number; pictures: number }
  /** Steps that the thread has. */
  steps: number
  cut: Pick<ExportPreview, 'kinds' | 'places' | 'blobsLeftOut'>
  head: number
  /** Repeated when the link is made: nobody makes one without having seen this. */
  digest: string
}

export const linkStates = ['open', 'expired', 'revoked'] as const
export type LinkState = (typeof linkStates)[number]

export type PublicLink = {
  id: string
  threadId: string
  /** The last four characters of the link. */
  hint: string
  title: string
  createdBy: string
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  revokedBy: string | null
  /** `expired` also when its maker is no member any more. */
  state: LinkState
  live: boolean
  fromStep: number
  toStep: number | null
  shows: LinkShow[]
  redaction: 'secrets' | 'personal'
  opened: number
  openedAt: number | null
}

/** Somebody had the page; `userId` when they were signed in. */
export type LinkOpening = { at: number; userId: string | null; agent: string }
