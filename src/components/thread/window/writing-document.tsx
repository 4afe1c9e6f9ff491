'use client'
import { FilePenLine, Square } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useMay } from '../../../client/thread-people.ts'
import { setUi } from '../../../client/ui-store.ts'
import { useThread, useThreadStore } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { DocumentView } from '../../../protocol/view.ts'
import { Button } from '../../ui/button.tsx'
import { Clock } from '../clock.tsx'

/** Above the composer while a model writes the document for the next window, in a turn or between turns. */
export function WritingDocument() {
  const document = useThread((state) => state.view.document?.value ?? null)
  return document === null ? null : <Writing key={document.stepId} document={document} />
}

function Writing({ document }: { document: DocumentView }) {
  const t = useTranslations('windows')
  const store = useThreadStore()
  const [stopping, setStopping] = useState(false)
  const { stepId, turnId, startedAt } = document
  const may = useMay('driver')
  const stop = (): void => {
    setStopping(true)
    store.submit({ type: 'document.stop', stepId }).catch(() => setStopping(false))
  }
  // Between turns nothing else can be stopped, so the common way to stop means this.
  useEffect(() => {
    if (turnId !== undefined || !may) return
    setUi({ stop: () => void store.submit({ type: 'document.stop', stepId }).catch(() => undefined) })
    return () => setUi({ stop: null })
  }, [store, turnId, stepId, may])
  return (
    <section
      aria-label={t('writing')}
      className="mb-2 flex min-h-8 flex-wrap items-center gap-x-2 gap-y-1 rounded-lg border border-line px-3 py-1 text-xs"
    >
      <FilePenLine aria-hidden className="size-3.5 shrink-0 text-brand" />
      <span role="status" className="min-w-0 flex-1">
        {t('writing')}
      </span>
      <span className="text-faint">
        <Clock since={startedAt} />
      </span>
      {may && (
        <Button small look="quiet" disabled={stopping} onClick={stop} title={t('stopWritingText')}>
          <Square aria-hidden className="size-3" /> {stopping ? t('stoppingWriting') : t('stopWriting')}
        </Button>
      )}
    </section>
  )
}
