'use client'
import { useMemo, useState } from 'react'
import { cutText, firstChars, firstLines } from '../../../client/rollout-text.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatCount } from '../../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'

export const frameClass =
  'rounded-md border border-line bg-(--term-bg) px-3 py-2 font-mono text-[12.5px] leading-[18px] text-(--term-fg)'

/** Shown at most by "more"; beyond it there is the download. */
const mostLines = 20_000
const mostChars = 4_000_000

/** Text as it is written, cut to what can be looked at; the rest on demand. */
export function TextView({ text, className }: { text: string; className?: string }) {
  const t = useTranslations('rollout.body')
  const [times, setTimes] = useState(1)
  const cut = useMemo(
    () => cutText(text, Math.min(mostLines, firstLines * times), Math.min(mostChars, firstChars * times)),
    [text, times],
  )
  if (text === '') return <p className="text-xs text-faint">{t('empty')}</p>
  return (
    <div className="min-w-0">
      <pre className={cn(frameClass, 'overflow-x-auto whitespace-pre-wrap wrap-anywhere', className)}>
        <Shown text={cut.text} />
      </pre>
      {cut.more && (
        <div className="flex items-center gap-2 pt-1 text-xs text-faint tabular">
          <Button small look="quiet" className="-ml-2" onClick={() => setTimes(times * 4)}>
            {t('more')}
          </Button>
          {t('shownOf', {
            shown: formatCount(cut.text.length),
            chars: formatCount(cut.chars),
            lines: formatCount(cut.lines),
          })}
        </div>
      )}
    </div>
  )
}
