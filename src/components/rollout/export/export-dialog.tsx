'use client'
import { Download, ShieldCheck } from 'lucide-react'
import { useFormatter } from 'next-intl'
import { useState } from 'react'
import { factOf } from '../../../client/api.ts'
import { download, useExportPreview } from '../../../client/exports.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { ExportFormat, type ExportPreview, ExportRedaction } from '../../../protocol/export.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { Fact } from '../../ui/fact.ts'
import { Skeleton, Trouble } from '../../ui/states.tsx'
import { ChoiceList } from './choice-list.tsx'
import { FoundList } from './found-list.tsx'

type Props = { threadId: string; open: boolean; onOpenChange: (open: boolean) => void }

/** Which file, what is cut from it, what that is, and the download. */
export function ExportDialog({ threadId, open, onOpenChange }: Props) {
  const t = useTranslations('export')
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('title')} wide>
      {open && <ExportForm threadId={threadId} onDone={() => onOpenChange(false)} />}
    </Dialog>
  )
}

function ExportForm({ threadId, onDone }: { threadId: string; onDone: () => void }) {
  const t = useTranslations('export')
  const [format, setFormat] = useState<ExportFormat>('html')
  const [redaction, setRedaction] = useState<ExportRedaction>('secrets')
  const [seen, setSeen] = useState<string | null>(null)
  const [said, setSaid] = useState<Fact | null>(null)
  const [busy, setBusy] = useState(false)
  const preview = useExportPreview(threadId, redaction)
  const found = preview.data
  const goesOut = redaction === 'none' && found !== undefined && found.places > 0
  const isConfirmed = !goesOut || seen === found.digest
  const start = async (): Promise<void> => {
    setBusy(true)
    setSaid(null)
    try {
      await download({ threadId, format, redaction }, goesOut ? found.digest : null)
      onDone()
    } catch (error) {
      const fact = factOf(error)
      setSaid(fact)
      if (fact.code === 'conflict') void preview.refetch()
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="space-y-4">
      <ChoiceList
        label={t('format')}
        value={format}
        onChange={setFormat}
        choices={ExportFormat.options.toReversed().map((value) => ({
          value,
          title: t(`formats.${value}.title`),
          text: t(`formats.${value}.text`),
        }))}
      />
      <ChoiceList
        label={t('redaction')}
        value={redaction}
        onChange={setRedaction}
        choices={ExportRedaction.options.map((value) => ({
          value,
          title: t(`redactions.${value}.title`),
          text: t(`redactions.${value}.text`),
        }))}
      />
      <section aria-label={t('preview')} className="min-h-24">
        {preview.isError ? (
          <Trouble fact={factOf(preview.error)}>
            <Button small onClick={() => void preview.refetch()}>
              {t('again')}
            </Button>
          </Trouble>
        ) : found === undefined || preview.isFetching ? (
          <div role="status">
            <p className="mb-2 text-xs text-soft">{t('looking')}</p>
            <Skeleton className="h-16" />
          </div>
        ) : (
          <Found threadId={threadId} preview={found} cuts={redaction !== 'none'} />
        )}
      </section>
      {goesOut && (
        <label className="flex items-start gap-2 rounded-lg border border-line bg-wait-soft px-3 py-2 text-sm">
          <input
            type="checkbox"
            className="mt-1 accent-(--brand)"
            checked={seen === found.digest}
            onChange={(event) => setSeen(event.target.checked ? found.digest : null)}
          />
          <span>{t('confirm', { count: found.distinct })}</span>
        </label>
      )}
      {said !== null && <Trouble fact={said} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="min-w-0 flex-1 text-xs text-faint">
          {redaction === 'none' && format === 'baton' ? t('lossless') : t(`notes.${format}`)}
        </p>
        <Button
          look="primary"
          disabled={busy || found === undefined || preview.isFetching || !isConfirmed}
          onClick={() => void start()}
        >
          <Download aria-hidden className="size-4" />
          {busy ? t('preparing') : t('download')}
        </Button>
      </div>
    </div>
  )
}

type FoundProps = { threadId: string; preview: ExportPreview; cuts: boolean }

function Found({ threadId, preview, cuts }: FoundProps) {
  const t = useTranslations('export')
  const format = useFormatter()
  const leftOut =
    cuts && preview.blobsLeftOut > 0 ? (
      <p className="text-xs text-soft">{t('leftOut', { count: preview.blobsLeftOut })}</p>
    ) : null
  if (preview.places === 0)
    return (
      <div className="space-y-1.5">
        <p className="flex items-center gap-2 text-sm">
          <ShieldCheck aria-hidden className="size-4 text-good" />
          {t('nothing', { level: preview.level })}
        </p>
        {leftOut}
      </div>
    )
  const counts = { distinct: preview.distinct, places: format.number(preview.places) }
  return (
    <div className="space-y-1.5">
      <h3 className="text-xs font-medium text-soft">{cuts ? t('willCut', counts) : t('goesOut', counts)}</h3>
      <FoundList threadId={threadId} preview={preview} />
      {leftOut}
    </div>
  )
}
