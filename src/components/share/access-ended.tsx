'use client'
import { DoorClosed } from 'lucide-react'
import Link from 'next/link'
import { useEffect, useRef } from 'react'
import { useTranslations } from '../../i18n/translations.ts'
import { Bar } from '../shell/bar.tsx'
import { Button } from '../ui/button.tsx'

/** In place of a thread that its reader may not read any more, or that is gone: what happened and where to go on. */
export function AccessEnded({ onRetry }: { onRetry: () => void }) {
  const t = useTranslations('people.ended')
  const heading = useRef<HTMLHeadingElement>(null)
  // What had the focus went away with the thread.
  useEffect(() => heading.current?.focus(), [])
  return (
    <>
      <Bar>
        <p className="text-sm font-semibold">{t('bar')}</p>
      </Bar>
      <div className="flex flex-1 flex-col items-center justify-center gap-2 px-6 pb-[14vh] text-center">
        <span className="mb-2 inline-flex size-11 items-center justify-center rounded-full border border-line text-soft">
          <DoorClosed aria-hidden className="size-5" />
        </span>
        <h1 ref={heading} tabIndex={-1} className="text-base font-semibold focus:outline-none">
          {t('title')}
        </h1>
        <p className="max-w-[52ch] text-soft">{t('text')}</p>
        <div className="mt-3 flex gap-2">
          <Link
            href="/"
            className="inline-flex h-8 items-center rounded-md bg-brand px-3 text-sm font-medium text-on-brand hover:bg-brand-strong"
          >
            {t('toThreads')}
          </Link>
          <Button onClick={onRetry}>{t('retry')}</Button>
        </div>
      </div>
    </>
  )
}
