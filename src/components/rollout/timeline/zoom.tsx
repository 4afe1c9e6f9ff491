'use client'
import { FoldHorizontal, Maximize2, UnfoldHorizontal, ZoomIn, ZoomOut } from 'lucide-react'
import { type Sight, wholeSight, zoomed } from '../../../client/rollout-axis.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { IconButton } from '../../ui/button.tsx'

type ZoomProps = {
  sight: Sight
  setSight: (change: (sight: Sight) => Sight) => void
  fold: boolean
  /** Whether there is a pause to fold or unfold. */
  folds: boolean
  setFold: (fold: boolean) => void
}

/** Nearer, further, everything; and whether pauses are folded. */
export function Zoom({ sight, setSight, fold, folds, setFold }: ZoomProps) {
  const t = useTranslations('rollout.timeline')
  const whole = sight.to - sight.from > 0.999
  const by = (factor: number) => () => setSight((now) => zoomed(now, (now.from + now.to) / 2, factor))
  const small = 'size-6 [&_svg]:size-3.5'
  return (
    <div className="flex w-7 shrink-0 flex-col items-center border-l border-line pt-0.5 max-md:hidden">
      <IconButton label={t('nearer')} className={small} onClick={by(0.5)}>
        <ZoomIn aria-hidden />
      </IconButton>
      <IconButton label={t('further')} className={small} disabled={whole} onClick={by(2)}>
        <ZoomOut aria-hidden />
      </IconButton>
      <IconButton
        label={t('fit')}
        className={small}
        disabled={whole}
        onClick={() => setSight(() => wholeSight)}
      >
        <Maximize2 aria-hidden />
      </IconButton>
      {folds && (
        <IconButton label={fold ? t('unfold') : t('fold')} className={small} onClick={() => setFold(!fold)}>
          {fold ? <UnfoldHorizontal aria-hidden /> : <FoldHorizontal aria-hidden />}
        </IconButton>
      )}
    </div>
  )
}
