'use client'
import Link from 'next/link'
import { useFormatter } from 'next-intl'
import { useState } from 'react'
import { writeAddress } from '../../../client/rollout-address.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import type { ExportPlace, ExportPreview, ExportSample } from '../../../protocol/export.ts'
import { Chevron } from '../../ui/chevron.tsx'
import { Shown } from '../../ui/shown.tsx'

type Kind = ExportPreview['kinds'][number]

const addressOf = (threadId: string, { itemId, seq }: ExportPlace): string | null => {
  const at = itemId !== null ? { itemId } : seq !== null ? { seq } : null
  if (at === null) return null
  const rest = { filter: {}, tab: null, against: null, find: '' }
  return `/threads/${threadId}/rollout${writeAddress({ at, ...rest } as Parameters<typeof writeAddress>[0])}`
}

/** What was found, by kind; a kind opens to where it stands. */
export function FoundList({ threadId, preview }: { threadId: string; preview: ExportPreview }) {
  return (
    <ul className="divide-y divide-line rounded-lg border border-line">
      {preview.kinds.map((kind) => (
        <FoundKind key={kind.kind} threadId={threadId} kind={kind} />
      ))}
    </ul>
  )
}

function FoundKind({ threadId, kind }: { threadId: string; kind: Kind }) {
  const t = useTranslations('export')
  const format = useFormatter()
  const [open, setOpen] = useState(false)
  // Every kind has its name; a test holds the two lists together.
  const name = t(`kinds.${kind.kind as 'jwt'}`)
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-2 px-2.5 py-1.5 text-left text-sm hover:bg-hover"
      >
        <Chevron open={open} />
        <span className="min-w-0 flex-1 truncate">{name}</span>
        <span className="shrink-0 text-xs text-soft tabular">
          {t('counts', { distinct: format.number(kind.distinct), places: format.number(kind.places) })}
        </span>
      </button>
      {open && (
        <ul className="space-y-1.5 px-2.5 pt-0.5 pb-2.5 pl-8">
          {kind.samples.map((sample) => (
            <Sample key={JSON.stringify(sample)} threadId={threadId} kind={kind.kind} sample={sample} />
          ))}
          {kind.distinct > kind.samples.length && (
            <li className="text-xs text-faint">
              {t('more', { count: kind.distinct - kind.samples.length })}
            </li>
          )}
        </ul>
      )}
    </li>
  )
}

function Sample({ threadId, kind, sample }: { threadId: string; kind: string; sample: ExportSample }) {
  const t = useTranslations('export')
  const { place, before, after, chars } = sample
  const address = addressOf(threadId, place)
  return (
    <li className="min-w-0 text-xs">
      <p className="rounded bg-subtle px-2 py-1 font-mono wrap-anywhere">
        <span className="text-soft">
          <Shown text={before} />
        </span>
        <mark className="rounded bg-wait-soft px-1 text-wait">{`[redacted:${kind}]`}</mark>
        <span className="text-soft">
          <Shown text={after} />
        </span>
      </p>
      <p className="mt-0.5 flex gap-2 text-faint">
        <span>{t('chars', { count: chars })}</span>
        <span>{t(`places.${place.type}`, { label: visible(place.label ?? ''), seq: place.seq ?? 0 })}</span>
        {address !== null && (
          <Link href={address} target="_blank" className="text-brand hover:underline">
            {t('show')}
          </Link>
        )}
      </p>
    </li>
  )
}
