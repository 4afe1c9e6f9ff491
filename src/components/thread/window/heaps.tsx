'use client'
import { useState } from 'react'
import { useItem } from '../../../client/use-thread.ts'
import type { BlockGroup, Heap } from '../../../client/windows.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatCount } from '../../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Chevron } from '../../ui/chevron.tsx'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'
import { HistoryItem } from './history-item.tsx'
import { itemWords } from './item-words.ts'
import { PinButton } from './pin-button.tsx'
import { useReasonWords, useSectionWords } from './words.ts'

/** What is fixed is grey, what a hand-over gives is light, what is said and done is dark. Names stand beside it. */
export const tints: Record<BlockGroup, string> = {
  tools: mix('text-3', 70),
  instructions: 'var(--text-3)',
  hint: mix('brand', 40),
  rules: mix('text-3', 50),
  world: mix('text-3', 38),
  pinned: mix('wait', 70),
  plan: mix('brand', 45),
  messages: mix('good', 70),
  answers: mix('brand', 100),
  thinking: mix('brand', 60),
  calls: mix('brand-strong', 80),
  results: mix('brand', 75),
  told: mix('wait', 35),
}

function mix(colour: string, percent: number): string {
  return `color-mix(in oklab, var(--${colour}) ${percent}%, var(--bg))`
}

type AnyHeap = Pick<Heap<unknown>, 'group' | 'tokens' | 'share'>

/** All groups as one bar; what of the window is free stays empty. `room`: tokens that the whole bar stands for. */
export function HeapBar({ heaps, room }: { heaps: readonly AnyHeap[]; room: number }) {
  const all = heaps.reduce((sum, { tokens }) => sum + tokens, 0)
  const whole = Math.max(room, all, 1)
  return (
    <div aria-hidden className="flex h-3 w-full gap-px overflow-hidden rounded-sm bg-line">
      {heaps.map(({ group, tokens }) => (
        <span
          key={group}
          className="h-full min-w-px first:rounded-l-sm"
          style={{ width: `${(tokens / whole) * 100}%`, background: tints[group] }}
        />
      ))}
    </div>
  )
}

export type ShownBlock = {
  key: string
  kind: string
  reason: string
  tokens: number
  preview?: string | undefined
  itemId?: string | null | undefined
  count?: number | undefined
}

/** Groups as a list with tokens and share; each opens to its blocks. */
export function HeapList({ heaps }: { heaps: readonly Heap<ShownBlock>[] }) {
  return (
    <ul>
      {heaps.map((heap) => (
        <HeapEntry key={heap.group} heap={heap} />
      ))}
    </ul>
  )
}

const firstBlocks = 20

function HeapEntry({ heap }: { heap: Heap<ShownBlock> }) {
  const t = useTranslations('windows')
  const [open, setOpen] = useState(false)
  const [all, setAll] = useState(false)
  // The newest is what one looks for; older ones on demand.
  const blocks = all ? heap.blocks : heap.blocks.slice(-firstBlocks)
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        data-heap={heap.group}
        className="flex h-8 w-full items-center gap-2 px-3 text-left text-sm row-hover focus-visible:-outline-offset-2"
      >
        <Chevron open={open} />
        <span
          aria-hidden
          className="size-2.5 shrink-0 rounded-xs"
          style={{ background: tints[heap.group] }}
        />
        <span className="min-w-0 flex-1 truncate">
          {t(`groups.${heap.group}`)}
          {heap.count > 1 && <span className="pl-1.5 text-xs text-faint tabular">{heap.count}</span>}
        </span>
        <span className="text-xs text-soft tabular">{formatCount(heap.tokens)}</span>
        <span className="w-10 text-right text-xs text-faint tabular">
          {t('share', { percent: heap.share > 0 && heap.share < 0.01 ? '<1' : Math.round(heap.share * 100) })}
        </span>
      </button>
      {open && (
        <div className="border-b border-line pb-1 pl-8">
          <p className="pr-3 pb-1 text-xs text-soft">{t(`explain.${heap.group}`)}</p>
          {heap.blocks.length > blocks.length && (
            <Button look="quiet" small onClick={() => setAll(true)} className="-ml-2">
              {t('earlierBlocks', { count: heap.blocks.length - blocks.length })}
            </Button>
          )}
          <ul>
            {blocks.map((block) => (
              <BlockEntry key={block.key} block={block} />
            ))}
          </ul>
        </div>
      )}
    </li>
  )
}

/** One block: what it says, why it is there, its tokens, and the pin. */
export function BlockEntry({ block }: { block: ShownBlock }) {
  const t = useTranslations('windows')
  const reasonOf = useReasonWords()
  const sectionOf = useSectionWords()
  const [open, setOpen] = useState(false)
  const [whole, setWhole] = useState(false)
  // A call's own block does not say which tool it is; the item does, where the thread has it loaded.
  const item = useItem(block.itemId ?? '')?.item
  const words = item === undefined || block.kind === 'tool_result' ? '' : itemWords(item)
  const preview = words || (block.preview ?? '')
  const name = sectionOf(block.kind) ?? (preview.slice(0, 60) || t('block'))
  return (
    <li data-block={block.kind}>
      <div className="flex items-start gap-1 pr-2 hover:bg-hover">
        <button
          type="button"
          aria-expanded={preview === '' ? undefined : open}
          onClick={() => setOpen(!open)}
          className="min-w-0 flex-1 py-1 text-left focus-visible:-outline-offset-2"
        >
          <span className={cn('block text-[12.5px] leading-4.5', open ? 'wrap-anywhere' : 'truncate')}>
            <Shown text={preview === '' ? name : preview} />
          </span>
          <span className="block truncate text-2xs text-faint">
            {[sectionOf(block.kind), reasonOf(block.reason)].filter(Boolean).join(' · ')}
          </span>
        </button>
        <span className="py-1 text-xs text-faint tabular">{formatCount(block.tokens)}</span>
        {block.itemId ? (
          <PinButton itemId={block.itemId} name={name} />
        ) : (
          <span aria-hidden className="w-6" />
        )}
      </div>
      {open && block.itemId && !whole && (
        <Button look="quiet" small className="-ml-2" onClick={() => setWhole(true)}>
          {t('whole')}
        </Button>
      )}
      {open && block.itemId && whole && <HistoryItem itemId={block.itemId} />}
    </li>
  )
}
