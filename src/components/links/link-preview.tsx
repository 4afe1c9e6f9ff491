'use client'
import { factOf } from '../../client/api.ts'
import { useTranslations } from '../../i18n/translations.ts'
import type { LinkPreview } from '../../protocol/link.ts'
import { Button } from '../ui/button.tsx'
import { Trouble } from '../ui/states.tsx'

type LinkPreviewProps = {
  preview: LinkPreview
  live: boolean
  busy: boolean
  error: unknown
  onMake: () => void
  onChange: () => void
}

/** The page as it will be, and what was cut from it: nothing goes out unseen. */
export function LinkPreviewPane({ preview, live, busy, error, onMake, onChange }: LinkPreviewProps) {
  const t = useTranslations('links.preview')
  const { counts, cut, html, isWhole } = preview
  return (
    <section aria-label={t('title')} className="space-y-3">
      <div>
        <h3 className="font-medium">{t('title')}</h3>
        <p className="text-xs text-soft">{t('counts', counts)}</p>
      </div>
      {live && (
        <p className="rounded-lg border border-line bg-wait-soft px-3 py-2 text-sm text-wait">
          {t('goesOn')}
        </p>
      )}
      {/* It may run nothing and load nothing: it has no rights at all. */}
      <iframe
        title={t('frame')}
        sandbox=""
        srcDoc={html}
        className="h-80 w-full rounded-lg border border-line bg-background"
      />
      {!isWhole && <p className="text-xs text-soft">{t('part')}</p>}
      <div className="text-sm">
        {cut.places === 0 ? (
          <p className="text-soft">{t('cutNone')}</p>
        ) : (
          <>
            <p>{t('cut', { count: cut.places })}</p>
            <ul className="flex flex-wrap gap-1.5 pt-1">
              {cut.kinds.map(({ kind, places }) => (
                <li key={kind} className="rounded-full border border-line px-2 text-xs text-soft">
                  {t('cutKind', { count: places, kind })}
                </li>
              ))}
            </ul>
          </>
        )}
        {cut.blobsLeftOut > 0 && (
          <p className="pt-1 text-xs text-soft">{t('files', { count: cut.blobsLeftOut })}</p>
        )}
      </div>
      {error !== null && <Trouble fact={factOf(error)} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onChange}>{t('change')}</Button>
        <Button look="primary" disabled={busy} onClick={onMake}>
          {busy ? t('making') : t('make')}
        </Button>
      </div>
    </section>
  )
}
