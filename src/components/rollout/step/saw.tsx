'use client'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDownToLine, BetweenHorizontalStart, ChevronRight } from 'lucide-react'
import { useFormatter } from 'next-intl'
import { useCallback, useMemo, useRef, useState } from 'react'
import { useRollout, useRolloutStore } from '../../../client/use-rollout.ts'
import { useBlockPages, useRulesOfWindow, useStepByNumber } from '../../../client/use-rollout-step.ts'
import { heapsOf } from '../../../client/windows.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatCount } from '../../../lib/format.ts'
import type { RequestBlock, RolloutStep } from '../../../protocol/rollout.ts'
import { HeapBar, tints } from '../../thread/window/heaps.tsx'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Empty, Skeleton } from '../../ui/states.tsx'
import { BlockEntry } from './block-entry.tsx'
import { Difference } from './difference.tsx'

type Mode = 'all' | 'new' | 'difference'

/** Exactly what the model was given for a step, block by block, in its order. */
export function Saw({ step }: { step: RolloutStep }) {
  const t = useTranslations('rollout.saw')
  const store = useRolloutStore()
  const against = useRollout((state) => state.address.against)
  const [chosen, setChosen] = useState<'all' | 'new'>('all')
  const mode: Mode = against !== null ? 'difference' : chosen
  const stepId = step.row.stepId ?? ''
  const number = step.row.step ?? 0
  const before = useStepByNumber(number - 1)
  if (step.blockCount === 0)
    return (
      <Empty title={t('none')}>
        <p>{t('noneText')}</p>
      </Empty>
    )
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-1.5 text-xs">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms. */}
        <div
          role="group"
          aria-label={t('modes')}
          className="flex items-center rounded-md border border-line p-px"
        >
          {(['all', 'new', 'difference'] as const).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={mode === name}
              disabled={name === 'difference' && before === undefined}
              onClick={() => {
                if (name === 'difference') store.change({ against: before?.stepId ?? null, tab: 'saw' })
                else {
                  setChosen(name)
                  if (against !== null) store.change({ against: null })
                }
              }}
              className={cn(
                'h-6 rounded px-2 disabled:opacity-50',
                mode === name ? 'bg-hover font-medium text-foreground' : 'text-soft hover:text-foreground',
              )}
            >
              {t(name)}
              {name === 'new' && (
                <span className="pl-1 font-normal text-faint tabular">{step.blockCount - step.newFrom}</span>
              )}
            </button>
          ))}
        </div>
        {mode === 'difference' ? <Against step={step} /> : <HashWord step={step} />}
      </div>
      {step.newFrom === 0 && step.windowIndex > 0 && mode !== 'difference' && <TookOver step={step} />}
      {against !== null ? (
        <Difference key={`${against}:${stepId}`} a={against} b={stepId} />
      ) : (
        <Blocks key={mode} step={step} from={mode === 'new' ? step.newFrom : 0} />
      )}
    </div>
  )
}

/** Whether the stored parts still make up exactly what went out. */
function HashWord({ step }: { step: RolloutStep }) {
  const t = useTranslations('rollout.saw')
  // What another program recorded is told as that: nobody here saw it sent.
  const isImported = useRollout(({ skeleton }) => !['baton', undefined].includes(skeleton?.imported?.format))
  const { rebuiltSha256, bodySha256 } = step.request
  if (rebuiltSha256 === null) return <span className="text-faint">{t('notStored')}</span>
  const same = rebuiltSha256 === bodySha256
  return (
    <span
      className={cn('tabular', same ? 'text-good' : 'text-bad')}
      title={t('hashHint', { hash: bodySha256 })}
      data-testid="request-hash"
    >
      {same ? t(isImported ? 'recorded' : 'exact', { hash: bodySha256.slice(0, 8) }) : t('broken')}
    </span>
  )
}

function TookOver({ step }: { step: RolloutStep }) {
  const t = useTranslations('rollout.saw')
  const store = useRolloutStore()
  const window = useRollout(({ skeleton }) =>
    skeleton?.windows.find(({ windowId }) => windowId === step.row.windowId),
  )
  if (window === undefined) return null
  return (
    <button
      type="button"
      onClick={() => void store.go({ idx: window.idx }, { push: true })}
      className="flex shrink-0 items-center gap-2 border-b border-line bg-brand-soft px-4 py-1.5 text-left text-xs row-hover"
    >
      <BetweenHorizontalStart aria-hidden className="size-3.5 shrink-0 text-brand" />
      {t('tookOver', { number: window.index + 1, before: window.index })}
    </button>
  )
}

/** Which step the request is held against: the one before, or any other by its number. */
function Against({ step }: { step: RolloutStep }) {
  const t = useTranslations('rollout.saw')
  const store = useRolloutStore()
  const [number, setNumber] = useState('')
  const other = useStepByNumber(/^\d{1,9}$/.test(number) ? Number(number) : 0)
  return (
    <form
      className="flex items-center gap-1.5 text-soft"
      onSubmit={(event) => {
        event.preventDefault()
        if (other?.stepId != null) store.change({ against: other.stepId })
      }}
    >
      <label className="flex items-center gap-1.5">
        {t('against')}
        <input
          value={number}
          onChange={(event) => setNumber(event.target.value)}
          inputMode="numeric"
          placeholder={String((step.row.step ?? 1) - 1)}
          className="h-6 w-14 rounded border border-line-strong bg-background px-1.5 tabular focus:border-brand focus:outline-none"
        />
      </label>
      <Button small className="h-6" type="submit" disabled={other?.stepId == null}>
        {t('compare')}
      </Button>
    </form>
  )
}

/** Height of a closed block. */
const closedPx = 32
/** Fewer tools than this are listed one by one. */
const leastFolded = 4

/** All tools that a window advertises, as one line. */
function FoldedTools({ tools, onOpen }: { tools: readonly RequestBlock[]; onOpen: () => void }) {
  const t = useTranslations('rollout.saw')
  const tokens = tools.reduce((sum, block) => sum + block.tokens, 0)
  return (
    <button
      type="button"
      aria-expanded={false}
      onClick={onOpen}
      data-block="tools"
      className="flex h-8 w-full min-w-0 items-center gap-2 border-b border-line/60 px-4 text-left text-[13px] row-hover focus-visible:-outline-offset-2"
    >
      <ChevronRight aria-hidden className="size-3.5 shrink-0 text-faint" />
      <span aria-hidden className="size-2.5 shrink-0 rounded-xs" style={{ background: tints.tools }} />
      <span className="w-22 shrink-0 truncate font-medium">{t('tools')}</span>
      <span className="min-w-0 flex-1 truncate text-soft">{t('toolsText', { count: tools.length })}</span>
      <span className="w-12 shrink-0 text-right text-xs text-faint tabular">{formatCount(tokens)}</span>
    </button>
  )
}

function Blocks({ step, from }: { step: RolloutStep; from: number }) {
  const t = useTranslations('rollout.saw')
  const format = useFormatter()
  const box = useRef<HTMLDivElement>(null)
  const [unfolded, setUnfolded] = useState(false)
  const [range, setRange] = useState({ first: from, last: from + 60 })
  const { get, all } = useBlockPages(step, range)
  const rules = useRulesOfWindow(step.row.windowId)
  const tools = useMemo(() => {
    const first = all?.findIndex(({ kind }) => kind !== 'tool') ?? 0
    return from > 0 || all === null ? [] : all.slice(0, first < 0 ? all.length : first)
  }, [all, from])
  // The tools come first and are always the same: one line stands for them.
  const folded = !unfolded && tools.length >= leastFolded ? tools.length - 1 : 0
  const offset = from + folded
  const virtual = useVirtualizer({
    count: step.blockCount - offset,
    getScrollElement: () => box.current,
    estimateSize: () => closedPx,
    getItemKey: useCallback((index: number) => index + offset, [offset]),
    overscan: 8,
    paddingEnd: 24,
    onChange: ({ range: seen }) => {
      if (seen === null) return
      const next = { first: seen.startIndex + offset, last: seen.endIndex + offset }
      setRange((before) => (before.first === next.first && before.last === next.last ? before : next))
    },
  })
  const heaps = useMemo(() => (all === null ? null : heapsOf(all)), [all])
  const cached = all?.reduce((sum, block) => sum + (block.cached ? block.tokens : 0), 0) ?? null
  const tokens = all?.reduce((sum, block) => sum + block.tokens, 0) ?? null
  return (
    <>
      <div className="shrink-0 space-y-1.5 border-b border-line px-4 py-2">
        <p className="flex items-baseline gap-1.5 text-xs text-faint tabular">
          <span>{t('blocks', { count: step.blockCount })}</span>
          {tokens !== null && <span>· {t('tokens', { tokens: format.number(tokens) })}</span>}
          {cached !== null && cached > 0 && (
            <span>· {t('cachedTokens', { tokens: format.number(cached) })}</span>
          )}
          <span className="flex-1" />
          {from === 0 && step.newFrom > 0 && (
            <Button
              small
              look="quiet"
              className="-my-1 h-6"
              onClick={() => virtual.scrollToIndex(Math.max(0, step.newFrom - offset), { align: 'start' })}
            >
              <ArrowDownToLine aria-hidden className="size-3.5" />
              {t('toNew')}
            </Button>
          )}
        </p>
        {heaps !== null && <HeapBar heaps={heaps} room={0} />}
      </div>
      <ScrollBox
        ref={box}
        label={t('label')}
        data-testid="request-blocks"
        className="min-h-0 flex-1 [overflow-anchor:none]"
      >
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((entry) => {
            const block = get(entry.index + offset)
            return (
              <div
                key={entry.key}
                ref={virtual.measureElement}
                data-index={entry.index}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${entry.start}px)` }}
              >
                {folded > 0 && entry.index === 0 ? (
                  <FoldedTools tools={tools} onOpen={() => setUnfolded(true)} />
                ) : block === undefined ? (
                  <div className="flex h-8 items-center px-4">
                    <Skeleton className="h-3 w-2/3" />
                  </div>
                ) : (
                  <BlockEntry stepId={step.row.stepId ?? ''} block={block} rules={rules} />
                )}
              </div>
            )
          })}
        </div>
      </ScrollBox>
    </>
  )
}
