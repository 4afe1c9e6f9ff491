import { X } from 'lucide-react'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import type { Label, LabelColour } from '../../../protocol/review.ts'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'

/** Colours are told apart by their mark too: each has a shape of its own. */
const marks: Record<LabelColour, string> = {
  grey: 'bg-(--label-grey) rounded-full',
  blue: 'bg-(--label-blue)',
  cyan: 'bg-(--label-cyan) rotate-45',
  green: 'bg-(--label-green) rounded-tl-full rounded-br-full',
  yellow: 'border-2 border-(--label-yellow) rounded-full',
  orange: 'border-2 border-(--label-orange)',
  red: 'bg-(--label-red) [clip-path:polygon(50%_0,100%_100%,0_100%)]',
  purple: 'bg-(--label-purple) [clip-path:polygon(50%_100%,100%_0,0_0)]',
}

export function LabelMark({ colour }: { colour: LabelColour }) {
  return <span aria-hidden className={cn('inline-block size-2 shrink-0', marks[colour])} />
}

type LabelChipProps = { label: Pick<Label, 'name' | 'colour'>; onRemove?: () => void }

export function LabelChip({ label, onRemove }: LabelChipProps) {
  const t = useTranslations('review.labels')
  return (
    <span className="inline-flex h-5 max-w-44 items-center gap-1.5 rounded-full border border-line bg-background px-2 text-2xs">
      <LabelMark colour={label.colour} />
      <span className="truncate">
        <Shown text={label.name} />
      </span>
      {onRemove !== undefined && (
        <button
          type="button"
          aria-label={t('takeOff', { name: visible(label.name) })}
          onClick={onRemove}
          className="-mr-1 rounded-full p-0.5 text-faint hover:bg-hover hover:text-foreground"
        >
          <X aria-hidden className="size-2.5" />
        </button>
      )}
    </span>
  )
}
