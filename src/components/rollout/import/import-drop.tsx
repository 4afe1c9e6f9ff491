'use client'
import { FileUp } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatBytes } from '../../../lib/format.ts'
import { ImportFormat, importLimits } from '../../../protocol/import.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'

/** Takes one file, by dropping it or from the browser's chooser, and says where such files are. */
export function ImportDrop({ onFile }: { onFile: (file: File) => void }) {
  const t = useTranslations('import')
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const take = (list: FileList | null): void => {
    const file = list?.[0]
    if (file) onFile(file)
  }
  return (
    <div className="space-y-4">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button inside is the first. */}
      <div
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          take(event.dataTransfer.files)
        }}
        className={cn(
          'flex flex-col items-center gap-3 rounded-xl border border-dashed px-6 py-9 text-center transition-colors duration-100',
          over ? 'border-brand bg-brand-soft' : 'border-line-strong bg-subtle',
        )}
      >
        <span
          className={cn(
            'flex size-11 items-center justify-center rounded-full border bg-raised',
            over ? 'border-brand text-brand' : 'border-line text-soft',
          )}
        >
          <FileUp aria-hidden className="size-5" />
        </span>
        <div className="flex items-center gap-2 text-sm">
          <span className="font-medium">{over ? t('dropNow') : t('drop')}</span>
          <span className="text-faint">{t('or')}</span>
          <Button small look="primary" onClick={() => input.current?.click()}>
            {t('choose')}
          </Button>
        </div>
        <p className="max-w-[58ch] text-xs text-faint">
          {t('takes', { size: formatBytes(importLimits.bytes) })}
        </p>
        <input
          ref={input}
          type="file"
          className="sr-only"
          tabIndex={-1}
          aria-label={t('choose')}
          onChange={(event) => {
            take(event.target.files)
            event.target.value = ''
          }}
        />
      </div>
      <section aria-label={t('where')}>
        <h3 className="mb-1.5 text-xs font-medium text-soft">{t('where')}</h3>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs">
          {ImportFormat.options.map((format) => (
            <div key={format} className="contents">
              <dt className="font-medium">{t(`formats.${format}`)}</dt>
              <dd className="text-faint wrap-anywhere">{t(`places.${format}`)}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  )
}
