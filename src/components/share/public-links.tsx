'use client'
import { ChevronLeft, Link2, Plus } from 'lucide-react'
import { useState } from 'react'
import { factOf } from '../../client/api.ts'
import { useCreateLink, useLinksOfThread, usePreviewLink } from '../../client/links.ts'
import { useTranslations } from '../../i18n/translations.ts'
import type { LinkSettings } from '../../protocol/link.ts'
import { LinkForm } from '../links/link-form.tsx'
import { LinkPreviewPane } from '../links/link-preview.tsx'
import { LinkRow } from '../links/link-row.tsx'
import { ShownOnce } from '../settings/people/shown-once.tsx'
import { Button } from '../ui/button.tsx'
import { Skeleton, Trouble } from '../ui/states.tsx'

type PublicLinksProps = {
  threadId: string
  /** Of the thread: what the page is called unless somebody says otherwise. */
  title: string
  canMake: boolean
  /** While a link is made nothing else is shown. */
  making: boolean
  onMaking: (making: boolean) => void
  /** The link that was just made, to be copied; null = none. */
  made: string | null
  onMade: (link: string | null) => void
}

/** Public links of a thread: those that there are, and the way to a new one, past what it will show. */
export function PublicLinks({ threadId, title, canMake, making, onMaking, made, onMade }: PublicLinksProps) {
  const t = useTranslations('links')
  const links = useLinksOfThread(threadId)
  if (making)
    return (
      <NewLink
        threadId={threadId}
        title={title}
        onDone={(path) => {
          if (path !== null) onMade(new URL(path, window.location.origin).href)
          onMaking(false)
        }}
      />
    )
  const open = links.data?.filter(({ state }) => state === 'open')
  const past = links.data?.filter(({ state }) => state !== 'open') ?? []
  return (
    <section aria-label={t('section.title')} className="border-t border-line pt-3">
      <div className="flex items-start gap-3 pb-2">
        <Link2 aria-hidden className="mt-0.5 size-4 shrink-0 text-soft" />
        <div className="min-w-0 flex-1">
          <h3 className="text-sm font-medium">{t('section.title')}</h3>
          <p className="text-xs text-soft">{t('section.text')}</p>
        </div>
        {canMake && (
          <Button small onClick={() => onMaking(true)}>
            <Plus aria-hidden className="size-3.5" />
            {t('section.make')}
          </Button>
        )}
      </div>
      {made !== null && (
        <ShownOnce
          key={made}
          label={t('made.label')}
          value={made}
          text={t('made.text')}
          onDone={() => onMade(null)}
        />
      )}
      {links.isError && links.data === undefined ? (
        <Trouble title={t('section.notRead')} fact={factOf(links.error)}>
          <Button small onClick={() => void links.refetch()}>
            {t('section.retry')}
          </Button>
        </Trouble>
      ) : open === undefined ? (
        <Skeleton className="h-10" />
      ) : open.length === 0 ? (
        <p className="text-sm text-faint">{t('section.none')}</p>
      ) : (
        <ul aria-label={t('section.title')} className="divide-y divide-line rounded-lg border border-line">
          {open.map((link) => (
            <LinkRow key={link.id} link={link} as={{ threadId }} openingsOf={threadId} />
          ))}
        </ul>
      )}
      {past.length > 0 && (
        <details className="pt-2">
          <summary className="cursor-pointer text-xs text-soft">
            {t('row.past', { count: past.length })}
          </summary>
          <ul className="mt-2 divide-y divide-line rounded-lg border border-line">
            {past.map((link) => (
              <LinkRow key={link.id} link={link} as={{ threadId }} openingsOf={threadId} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

type NewLinkProps = { threadId: string; title: string; onDone: (path: string | null) => void }

function NewLink({ threadId, title, onDone }: NewLinkProps) {
  const t = useTranslations('links')
  const preview = usePreviewLink(threadId)
  const create = useCreateLink(threadId)
  const [settings, setSettings] = useState<LinkSettings>({
    ...{ title, live: false, fromStep: 1, toStep: null, shows: [], redaction: 'personal', days: 30 },
  })
  const seen = preview.data
  return (
    <section aria-label={t('form.title')} className="space-y-3">
      <Button small look="quiet" className="-ml-2" onClick={() => onDone(null)}>
        <ChevronLeft aria-hidden className="size-3.5" />
        {t('section.back')}
      </Button>
      {seen === undefined ? (
        <LinkForm
          first={settings}
          busy={preview.isPending}
          fact={preview.isError ? factOf(preview.error) : null}
          onCancel={() => onDone(null)}
          onLook={(wanted) => {
            setSettings(wanted)
            preview.mutate(wanted)
          }}
        />
      ) : (
        <LinkPreviewPane
          preview={seen}
          live={settings.live}
          busy={create.isPending}
          error={create.isError ? create.error : null}
          onChange={() => {
            create.reset()
            preview.reset()
          }}
          onMake={() =>
            create.mutate(
              { settings, head: seen.head, digest: seen.digest },
              { onSuccess: ({ path }) => onDone(path) },
            )
          }
        />
      )}
    </section>
  )
}
