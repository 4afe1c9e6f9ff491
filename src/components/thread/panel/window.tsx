'use client'
import { useMemo } from 'react'
import { useMay } from '../../../client/thread-people.ts'
import { setUi, useUi } from '../../../client/ui-store.ts'
import { useThread } from '../../../client/use-thread.ts'
import { useFill, useLastStep, usePinned, useWindowBlocks, useWindows } from '../../../client/use-windows.ts'
import { heapsOf } from '../../../client/windows.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatCount } from '../../../lib/format.ts'
import { windowNumber } from '../../../protocol/item.ts'
import type { WindowView } from '../../../protocol/view.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { inputClass } from '../../ui/field.tsx'
import { Empty, Skeleton, Trouble } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { HeapBar, HeapList, type ShownBlock } from '../window/heaps.tsx'
import { NewWindow } from '../window/new-window.tsx'
import { hasFacts, PinnedItem, WindowFacts } from '../window/window-facts.tsx'
import { WindowSettingsForm } from '../window/window-settings.tsx'

/** What fills a window, block by block, with the reason of each; how windows of this thread come to be. */
export function WindowPanel() {
  const t = useTranslations('windows')
  const { windows, isPending, error, again } = useWindows()
  const wanted = useUi((ui) => ui.windowShown)
  const may = useMay('driver')
  const current = windows.at(-1)
  const shown = windows.find(({ windowId }) => windowId === wanted) ?? current
  const before = shown && windows.find(({ windowId }) => windowId === shown.fromWindowId)
  if (shown === undefined)
    return (
      <div className="space-y-4 p-3">
        {error !== null ? (
          <Trouble title={t('notLoaded')}>
            <Button small onClick={again}>
              {t('retry')}
            </Button>
          </Trouble>
        ) : isPending ? (
          <Skeleton className="h-24" />
        ) : (
          <Empty title={t('none')}>
            <p>{t('noneText')}</p>
          </Empty>
        )}
        {may && <WindowSettingsForm />}
      </div>
    )
  const isCurrent = shown === current
  return (
    <div data-testid="window-panel">
      <div className="sticky top-0 z-10 flex h-10 items-center gap-2 border-b border-line bg-background px-3">
        <select
          value={shown.windowId}
          onChange={(event) =>
            setUi({ windowShown: event.target.value === current?.windowId ? null : event.target.value })
          }
          aria-label={t('which')}
          className={cn(inputClass, 'h-7 w-auto max-w-52 py-0 text-xs')}
        >
          {windows.toReversed().map((window) => (
            <option key={window.windowId} value={window.windowId}>
              {window === current
                ? t('windowNow', { number: windowNumber(window.index) })
                : t('window', { number: windowNumber(window.index) })}
            </option>
          ))}
        </select>
        <span className="min-w-0 flex-1 truncate text-xs text-faint">
          <Ago at={shown.openedAt} /> · {t(`why.${shown.reason}`)}
        </span>
      </div>
      <Contents window={shown} isCurrent={isCurrent} />
      {hasFacts(shown) && (
        <section className="border-t border-line p-3">
          <h2 className="pb-2 text-sm font-medium">{t('given')}</h2>
          <WindowFacts window={shown} before={before} />
        </section>
      )}
      {isCurrent && (
        <>
          <Pins />
          {may && (
            <>
              <section className="border-t border-line p-3">
                <NewWindow />
              </section>
              <section className="border-t border-line p-3">
                <WindowSettingsForm />
              </section>
            </>
          )}
        </>
      )}
    </div>
  )
}

function Contents({ window, isCurrent }: { window: WindowView; isCurrent: boolean }) {
  const t = useTranslations('windows')
  const blocks = useWindowBlocks(window.windowId)
  const fill = useFill()
  const heaps = useMemo(
    () => heapsOf((blocks.data ?? []).map((block): ShownBlock => ({ ...block, key: String(block.idx) }))),
    [blocks.data],
  )
  const all = heaps.reduce((sum, { tokens }) => sum + tokens, 0)
  const room = isCurrent ? (fill?.limit ?? 0) : (window.limitTokens ?? 0)
  return (
    <section aria-label={t('contents')} className="pt-3 pb-2">
      <div className="px-3 pb-2">
        <HeapBar heaps={heaps} room={room} />
        {isCurrent ? <Figures /> : <Closed window={window} tokens={all} />}
      </div>
      {blocks.isPending && (
        <div className="space-y-2 px-3" role="status" aria-label={t('loading')}>
          <Skeleton className="h-6" />
          <Skeleton className="h-6" />
          <Skeleton className="h-6" />
        </div>
      )}
      {blocks.isError && (
        <div className="px-3">
          <Trouble title={t('notLoaded')}>
            <Button small onClick={() => void blocks.refetch()}>
              {t('retry')}
            </Button>
          </Trouble>
        </div>
      )}
      {blocks.isSuccess && heaps.length === 0 && <Empty title={t('emptyWindow')} />}
      <HeapList heaps={heaps} />
      {heaps.length > 0 && <p className="px-3 pt-1 text-2xs text-faint">{t('estimated')}</p>}
    </section>
  )
}

function Closed({ window, tokens }: { window: WindowView; tokens: number }) {
  const t = useTranslations('windows')
  return (
    <p className="pt-2 text-xs text-soft tabular">
      {t('wasFull', { tokens: formatCount(window.closed?.tokens ?? tokens) })}
    </p>
  )
}

const toldWords = { reminder: 'toldReminder', limit: 'toldLimit', not_renewed: 'toldNotRenewed' } as const

/** The figures of the open window, as the provider counted them. */
function Figures() {
  const t = useTranslations('context')
  const fill = useFill()
  const step = useLastStep()
  const warned = useThread((state) => {
    const value = state.view.warned?.value
    return value !== undefined && value.windowId === state.view.window?.value.id ? value.kind : null
  })
  if (fill === null) return <p className="pt-2 text-xs text-soft">{t('notYet')}</p>
  const percent = (share: number): string => t('percent', { percent: Math.round(share * 1_000) / 10 })
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-0.5 pt-2 text-xs tabular">
        <Entry
          name={t('used')}
          value={`${formatCount(fill.used)} · ${t('percent', { percent: fill.percent })}`}
        />
        <Entry
          name={t('cached')}
          value={step === null ? '–' : `${formatCount(step.cached)} · ${percent(step.cachedShare)}`}
        />
        <Entry name={t('remaining')} value={formatCount(fill.remaining)} />
        <Entry name={t('limit')} value={formatCount(fill.limit)} />
        <Entry
          name={t('drift')}
          hint={t('driftHint')}
          value={
            step === null || step.drift === null
              ? '–'
              : `${step.drift > 0 ? '+' : step.drift < 0 ? '−' : ''}${percent(Math.abs(step.drift))}`
          }
        />
      </dl>
      {(warned !== null || fill.level !== 'calm') && (
        <p role="status" className={cn('pt-2 text-xs', fill.level === 'full' ? 'text-bad' : 'text-wait')}>
          {warned === null ? t('near') : t(toldWords[warned])}
        </p>
      )}
    </>
  )
}

function Entry({ name, value, hint }: { name: string; value: string; hint?: string }) {
  return (
    <div className="flex justify-between gap-2" title={hint}>
      <dt className="truncate text-soft">{name}</dt>
      <dd className="shrink-0">{value}</dd>
    </div>
  )
}

/** What will come along into the next window. */
function Pins() {
  const t = useTranslations('windows')
  const pinned = usePinned()
  return (
    <section aria-label={t('pins')} className="border-t border-line p-3">
      <h2 className="pb-1 text-sm font-medium">{t('pins')}</h2>
      {pinned.length === 0 ? (
        <p className="text-xs text-soft">{t('noPins')}</p>
      ) : (
        <ul>
          {pinned.map((itemId) => (
            <PinnedItem key={itemId} itemId={itemId} />
          ))}
        </ul>
      )}
    </section>
  )
}
