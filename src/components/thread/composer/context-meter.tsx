'use client'
import { openPanel } from '../../../client/ui-store.ts'
import { useFill } from '../../../client/use-windows.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatCount } from '../../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import { Tip } from '../../ui/tip.tsx'
import { FillBar } from '../window/fill-bar.tsx'

/** How full the context window is; a click shows what fills it. */
export function ContextMeter() {
  const t = useTranslations('context')
  const fill = useFill()
  if (fill === null) return null
  const figures = {
    percent: fill.percent,
    used: formatCount(fill.used),
    cached: formatCount(fill.cached),
    remaining: formatCount(fill.remaining),
  }
  return (
    <Tip label={t('tip', figures)}>
      <button
        type="button"
        data-testid="context-meter"
        data-level={fill.level}
        aria-label={t(
          fill.level === 'calm' ? 'label' : fill.level === 'near' ? 'labelNear' : 'labelFull',
          figures,
        )}
        onClick={() => openPanel('window', { windowShown: null })}
        className={cn(
          'flex h-7 shrink-0 items-center gap-2 rounded-md px-1.5 text-xs tabular row-hover',
          fill.level === 'calm' ? 'text-faint' : fill.level === 'near' ? 'text-wait' : 'text-bad',
        )}
      >
        <FillBar fill={fill} className="w-14 max-sm:w-8" />
        <span>{t('percent', figures)}</span>
        <span className="max-lg:hidden">{t('left', figures)}</span>
      </button>
    </Tip>
  )
}
