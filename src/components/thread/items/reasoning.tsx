'use client'
import { Brain } from 'lucide-react'
import { useLive } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration } from '../../../i18n/units.ts'
import type { Reasoning } from '../../../protocol/item.ts'
import type { ItemView } from '../../../protocol/view.ts'
import { Shown } from '../../ui/shown.tsx'
import { LongText } from '../long-text.tsx'
import { useOpened } from '../opened.tsx'
import { Prose } from '../prose.tsx'
import { Line } from './line.tsx'

/** What the model thought, folded to a line; its last sentence shows while it thinks. */
export function ReasoningItem({ view, item }: { view: ItemView; item: Reasoning }) {
  const t = useTranslations('items')
  const durationOf = useDuration()
  const [open, setOpen] = useOpened(item.id)
  const live = useLive(item.id, 'text')
  const thinking = view.completedAt === undefined
  const text = thinking ? (live?.text ?? item.text.text) : item.text.text
  const headline = text.match(/\*\*([^*]+)\*\*(?![\s\S]*\*\*[^*]+\*\*)/)?.[1]
  const tail =
    headline ??
    text
      .trim()
      .split(/(?<=[.!?])\s+|\n+/)
      .at(-1) ??
    ''
  return (
    <Line
      testId="reasoning"
      icon={<Brain aria-hidden />}
      open={open}
      onOpenChange={setOpen}
      bare={text === ''}
      aside={
        view.completedAt === undefined || view.completedAt - view.at < 1_000
          ? undefined
          : durationOf(view.completedAt - view.at)
      }
      body={
        <div className="border-l-2 border-line pl-3 text-soft">
          {thinking ? (
            <Prose text={text} streaming />
          ) : (
            <LongText value={item.text}>{(whole) => <Prose text={whole} />}</LongText>
          )}
        </div>
      }
    >
      <span className={thinking ? 'animate-breathe text-foreground' : 'text-soft'}>
        {thinking ? t('thinking') : item.hidden === true && text === '' ? t('thoughtHidden') : t('thought')}
      </span>
      <span className="truncate text-faint">{open ? '' : <Shown text={tail} />}</span>
    </Line>
  )
}
