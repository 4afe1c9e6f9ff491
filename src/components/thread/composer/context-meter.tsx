'use client'
import { useTranslations } from 'next-intl'
import { Popover } from 'radix-ui'
import { useThread } from '../../../client/use-thread.ts'
import { formatCount } from '../../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import { overlays } from '../../ui/overlays.ts'

/** How full the context window is: used, of it cached, remaining. */
export function ContextMeter() {
  const t = useTranslations('context')
  const used = useThread(
    (state) => state.view.context?.value.contextTokens ?? state.projection?.contextTokens ?? null,
  )
  const limit = useThread(
    (state) => state.view.context?.value.contextLimit ?? state.projection?.contextLimit ?? null,
  )
  const cached = useThread((state) => state.view.context?.value.cachedInput ?? 0)
  const version = useThread((state) => state.version)
  if (used === null || limit === null || version < 0) return null
  const share = Math.min(1, used / limit)
  const cachedShare = Math.min(share, cached / limit)
  const percent = Math.round(share * 100)
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={t('label', { percent })}
        className="flex h-7 shrink-0 items-center gap-2 rounded-md px-1.5 text-xs text-faint tabular row-hover max-sm:hidden"
      >
        <Bar share={share} cachedShare={cachedShare} className="w-14" />
        {t('percent', { percent })}
      </Popover.Trigger>
      <Popover.Portal container={overlays()}>
        <Popover.Content
          align="end"
          sideOffset={6}
          className="z-50 w-64 rounded-lg border border-line-strong bg-raised p-3 text-sm animate-appear focus:outline-none"
        >
          <p className="pb-2 font-medium">{t('title')}</p>
          <Bar share={share} cachedShare={cachedShare} className="h-2 w-full" />
          <dl className="mt-2 space-y-0.5 text-xs tabular">
            <Entry name={t('used')} value={formatCount(used)} />
            <Entry name={t('cached')} value={formatCount(cached)} />
            <Entry name={t('remaining')} value={formatCount(Math.max(0, limit - used))} />
            <Entry name={t('limit')} value={formatCount(limit)} />
          </dl>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Bar({ share, cachedShare, className }: { share: number; cachedShare: number; className: string }) {
  const colour = share > 0.9 ? 'bg-bad' : share > 0.75 ? 'bg-wait' : 'bg-brand'
  return (
    <span
      aria-hidden
      className={cn('relative inline-block h-1.5 overflow-hidden rounded-full bg-line', className)}
    >
      <span
        className={cn('absolute inset-y-0 left-0 opacity-45', colour)}
        style={{ width: `${share * 100}%` }}
      />
      <span className={cn('absolute inset-y-0 left-0', colour)} style={{ width: `${cachedShare * 100}%` }} />
    </span>
  )
}

function Entry({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex justify-between">
      <dt className="text-soft">{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
