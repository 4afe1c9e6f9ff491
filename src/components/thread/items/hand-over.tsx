'use client'
import { useMemo } from 'react'
import { z } from 'zod'
import { openPanel } from '../../../client/ui-store.ts'
import { useWindowBlocks, useWindows } from '../../../client/use-windows.ts'
import { heapsOf } from '../../../client/windows.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatCount } from '../../../lib/format.ts'
import { GivenBlock } from '../../../protocol/event.ts'
import { type HandOver, windowNumber } from '../../../protocol/item.ts'
import type { WindowView } from '../../../protocol/view.ts'
import { Button } from '../../ui/button.tsx'
import { Chevron } from '../../ui/chevron.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { useBlobText } from '../long-text.tsx'
import { useOpened } from '../opened.tsx'
import { BlockEntry, HeapList, type ShownBlock } from '../window/heaps.tsx'
import { WindowFacts } from '../window/window-facts.tsx'

/** Where a new window took over: quiet, and open to what it was given and what stayed behind. */
export function HandOverItem({ item, at }: { item: HandOver; at: number }) {
  const t = useTranslations('windows')
  const [open, setOpen] = useOpened(item.id)
  return (
    <div className="py-2" data-item="hand_over">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-3 rounded-md text-xs text-faint hover:text-foreground"
      >
        <span aria-hidden className="h-px min-w-3 flex-1 bg-line" />
        <span className="flex min-w-0 flex-wrap items-center justify-center gap-x-1.5">
          <span className="font-medium text-soft">{t('window', { number: windowNumber(item.index) })}</span>
          <span aria-hidden>·</span>
          <Ago at={at} className="tabular" />
          <span aria-hidden>·</span>
          <span>{t(`why.${item.reason}`)}</span>
          <Chevron open={open} className="size-3 text-inherit" />
        </span>
        <span aria-hidden className="h-px min-w-3 flex-1 bg-line" />
      </button>
      {open && <Opened item={item} />}
    </div>
  )
}

function Opened({ item }: { item: HandOver }) {
  const t = useTranslations('windows')
  const { windows, isPending, error, again } = useWindows()
  const window = windows.find(({ windowId }) => windowId === item.toWindowId)
  const before = windows.find(({ windowId }) => windowId === item.fromWindowId)
  if (window === undefined)
    return (
      <div className="mt-2 rounded-lg border border-line p-3 text-sm text-soft">
        {isPending ? (
          <Skeleton className="h-5 w-1/2" />
        ) : (
          <p className="flex items-center gap-2">
            {error === null ? t('unknownWindow') : t('notLoaded')}
            <Button small onClick={again}>
              {t('retry')}
            </Button>
          </p>
        )}
      </div>
    )
  return (
    <div className="mt-2 rounded-lg border border-line bg-background" data-testid="hand-over">
      <div className="grid grid-cols-[minmax(0,1fr)] md:grid-cols-2 md:divide-x md:divide-line">
        <Given window={window} />
        <Left window={window} />
      </div>
      <div className="border-t border-line p-3">
        <WindowFacts window={window} before={before} />
        <div className="flex flex-wrap gap-2 pt-3">
          <Button small onClick={() => openPanel('window', { windowShown: window.windowId })}>
            {t('show', { number: windowNumber(window.index) })}
          </Button>
          {before !== undefined && (
            <Button small onClick={() => openPanel('window', { windowShown: before.windowId })}>
              {t('show', { number: windowNumber(before.index) })}
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}

const GivenList = z.array(GivenBlock)

function Given({ window }: { window: WindowView }) {
  const t = useTranslations('windows')
  // A long list is a blob, and the event has its beginning.
  const { text } = useBlobText(window.givenBlob)
  const { windowId, blocks: count } = window
  const stored = useWindowBlocks(windowId).data
  const heaps = useMemo(() => {
    // A window begins with what it was given, so its first blocks say what each was.
    if (stored !== undefined && stored.length >= count)
      return heapsOf(
        stored.slice(0, count).map((block): ShownBlock => ({ ...block, key: String(block.idx) })),
      )
    const all = text === undefined ? null : GivenList.safeParse(JSON.parse(text))
    const given = all?.success ? all.data : (window.given ?? [])
    return heapsOf(
      given.map((block, index): ShownBlock => ({ ...block, key: `${index}:${block.hash}`, preview: '' })),
    )
  }, [stored, count, window.given, text])
  return (
    <section aria-label={t('given')}>
      <h2 className="flex items-baseline gap-2 px-3 pt-2.5 pb-1 text-sm font-medium">
        {t('given')}
        <span className="text-xs font-normal text-faint tabular">
          {t('amount', { blocks: window.blocks, tokens: formatCount(window.tokens) })}
        </span>
      </h2>
      <HeapList heaps={heaps} />
    </section>
  )
}

/** The newest of what stayed behind; all of it is in the history, and one click brings an item along from now on. */
function Left({ window }: { window: WindowView }) {
  const t = useTranslations('windows')
  const { left, fromWindowId } = window
  const blocks = useWindowBlocks(left === undefined ? undefined : fromWindowId)
  const shown = useMemo(() => {
    const wanted = new Set(left?.itemIds)
    return (blocks.data ?? [])
      .filter((block) => block.itemId !== null && wanted.has(block.itemId))
      .map((block): ShownBlock => ({ ...block, key: String(block.idx) }))
      .reverse()
  }, [blocks.data, left])
  return (
    <section aria-label={t('left')} className="border-t border-line md:border-t-0">
      <h2 className="flex items-baseline gap-2 px-3 pt-2.5 pb-1 text-sm font-medium">
        {t('left')}
        {left !== undefined && (
          <span className="text-xs font-normal text-faint tabular">
            {t('leftAmount', { items: left.items, blocks: left.blocks, tokens: formatCount(left.tokens) })}
          </span>
        )}
      </h2>
      {left === undefined || left.blocks === 0 ? (
        <p className="px-3 pb-3 text-xs text-soft">{t('leftNothing')}</p>
      ) : (
        <>
          <p className="px-3 pb-1 text-xs text-soft">{t('leftText')}</p>
          {blocks.isPending && <Skeleton className="m-3 h-5" />}
          {blocks.isError && (
            <p className="flex items-center gap-2 px-3 pb-2 text-xs text-bad">
              {t('notLoaded')}
              <Button small onClick={() => void blocks.refetch()}>
                {t('retry')}
              </Button>
            </p>
          )}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
          <ul tabIndex={0} aria-label={t('left')} className="max-h-72 overflow-y-auto pb-2 pl-3">
            {shown.map((block) => (
              <BlockEntry key={block.key} block={block} />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
