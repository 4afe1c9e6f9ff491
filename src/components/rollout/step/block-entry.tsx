'use client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Check, CircleDashed, Database, TriangleAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { api, factOf } from '../../../client/api.ts'
import { blobPath } from '../../../client/rollout-body.ts'
import { type CheckedRule, checkRules, type RuleFile } from '../../../client/rollout-rules.ts'
import { useRollout, useRolloutStore } from '../../../client/use-rollout.ts'
import { groupOf } from '../../../client/windows.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatBytes, formatCount } from '../../../lib/format.ts'
import { isPlainKey } from '../../../lib/own.ts'
import { visible } from '../../../lib/visible.ts'
import type { RequestBlock } from '../../../protocol/rollout.ts'
import { tints } from '../../thread/window/heaps.tsx'
import { useReasonWords, useSectionWords } from '../../thread/window/words.ts'
import { Button } from '../../ui/button.tsx'
import { Chevron } from '../../ui/chevron.tsx'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { useHighlights } from '../../ui/use-highlights.ts'
import { BodyView } from '../body/body-view.tsx'
import { useFind } from '../find/use-find.ts'

type Props = { stepId: string; block: RequestBlock; rules?: readonly RuleFile[] }

/** One block of a request: kind, beginning, why it is there, tokens; opens to what was sent. */
export function BlockEntry({ stepId, block, rules = [] }: Props) {
  const t = useTranslations('rollout.saw')
  const [open, setOpen] = useState(false)
  const reasonOf = useReasonWords()
  const name = useBlockName(block.kind)
  const ofRules = block.kind === 'world:rules' && rules.length > 0
  return (
    <div className={cn('border-b border-line/60', open && 'bg-subtle/40')} data-block={block.kind}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex h-8 w-full min-w-0 items-center gap-2 px-4 text-left text-[13px] row-hover focus-visible:-outline-offset-2"
      >
        <Chevron open={open} />
        <span
          aria-hidden
          className="size-2.5 shrink-0 rounded-xs"
          style={{ background: tints[groupOf(block)] }}
        />
        <span className="w-22 shrink-0 truncate font-medium">{name}</span>
        <span className="min-w-0 flex-1 truncate text-soft">
          <Shown text={block.preview} />
        </span>
        <span className="hidden max-w-40 shrink-0 truncate text-2xs text-faint lg:inline">
          {reasonOf(block.reason)}
        </span>
        {block.isNew && (
          <span className="shrink-0 rounded bg-good-soft px-1 text-2xs font-medium text-good">
            {t('isNew')}
          </span>
        )}
        {block.cached && (
          <span title={t('isCached')} className="shrink-0 text-faint">
            <Database aria-hidden className="size-3" />
            <span className="sr-only">{t('isCached')}</span>
          </span>
        )}
        <span className="w-12 shrink-0 text-right text-xs text-faint tabular">
          {formatCount(block.tokens)}
        </span>
      </button>
      {open && <BlockBody stepId={stepId} block={block} rules={ofRules ? rules : []} />}
    </div>
  )
}

/** What kind of block it is, in a word. */
export function useBlockName(kind: string): string {
  const t = useTranslations('rollout.blocks')
  const section = useSectionWords()(kind)
  if (section !== null) return section
  const key = kind as Parameters<typeof t.has>[0]
  return isPlainKey(kind) && t.has(key) ? t(key) : visible(kind.replaceAll('_', ' '))
}

const looks = { text: 'text', markdown: 'prose', json: 'json' } as const

/** Characters of a block that are read at first, and with each "more". */
const partChars = 64_000
const moreChars = 200_000

function BlockBody({
  stepId,
  block,
  rules,
}: {
  stepId: string
  block: RequestBlock
  rules: readonly RuleFile[]
}) {
  const t = useTranslations('rollout.saw')
  const store = useRolloutStore()
  const threadId = useRollout((state) => state.threadId)
  const reasonOf = useReasonWords()
  const { query, words } = useFind()
  const box = useRef<HTMLDivElement>(null)
  useHighlights(box, query, words)
  const body = useInfiniteQuery({
    queryKey: ['rollout', threadId, 'block', stepId, block.idx],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      api.rollout.block.query(
        {
          threadId,
          stepId,
          idx: block.idx,
          offsetChars: pageParam,
          limitChars: pageParam === 0 ? partChars : moreChars,
        },
        { signal },
      ),
    getNextPageParam: ({ nextOffset }) => nextOffset ?? undefined,
  })
  if (body.isError)
    return (
      <p className="flex items-center gap-2 px-4 pb-3 pl-10 text-xs text-bad">
        {factOf(body.error).message}
        <Button small onClick={() => void body.refetch()}>
          {t('again')}
        </Button>
      </p>
    )
  const first = body.data?.pages[0]
  if (first === undefined || body.data === undefined) return <Skeleton className="mr-4 mb-3 ml-10 h-16" />
  const text = body.data.pages.map((page) => page.text).join('')
  const whole = !body.hasNextPage
  return (
    <div ref={box} className="space-y-2 pr-4 pb-3 pl-10">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-faint tabular">
        <span>{reasonOf(block.reason)}</span>
        <span>{formatBytes(block.bytes)}</span>
        <span title={block.hash}>{block.hash.slice(0, 8)}</span>
        {block.callId !== null && <code className="max-w-48 truncate">{block.callId}</code>}
        <span className="flex-1" />
        {block.itemId !== null && (
          <Button
            small
            look="quiet"
            className="h-6"
            onClick={() => void store.go({ itemId: block.itemId ?? '' }, { push: true, tab: 'did' })}
          >
            {t('toItem')}
          </Button>
        )}
      </p>
      {rules.length > 0 && <RuleHashes text={text} rules={rules} />}
      <BodyView text={text} look={whole ? looks[first.content] : 'text'} />
      {first.images
        .filter(({ hash }) => hash !== '')
        .map(({ hash, mediaType }) => (
          // biome-ignore lint/performance/noImgElement: a blob of the thread, served by its own door.
          <img
            key={hash}
            src={blobPath(threadId, hash)}
            alt={mediaType}
            loading="lazy"
            className="max-h-60 max-w-full rounded-md border border-line"
          />
        ))}
      {!whole && (
        <p className="flex items-center gap-2 text-xs text-faint tabular">
          <Button
            small
            look="quiet"
            className="-ml-2"
            disabled={body.isFetchingNextPage}
            onClick={() => void body.fetchNextPage()}
          >
            {t('more')}
          </Button>
          {t('shownOf', { shown: formatCount(text.length), chars: formatCount(first.totalChars) })}
        </p>
      )}
    </div>
  )
}

/** Each file of rules, hashed here and now, against what was recorded when the window was opened. */
function RuleHashes({ text, rules }: { text: string; rules: readonly RuleFile[] }) {
  const t = useTranslations('rollout.saw')
  const [checked, setChecked] = useState<CheckedRule[] | null>(null)
  useEffect(() => {
    let stale = false
    void checkRules(text, rules).then((result) => {
      if (!stale) setChecked(result)
    })
    return () => {
      stale = true
    }
  }, [text, rules])
  return (
    <ul className="rounded-md border border-line bg-background px-3 py-1.5 text-xs" aria-label={t('rules')}>
      {(checked ?? rules.map((rule) => ({ ...rule, status: 'unchecked' as const }))).map((rule) => (
        <li key={rule.path} className="flex items-center gap-2">
          <code className="min-w-0 flex-1 truncate">
            <Shown text={rule.path} />
          </code>
          <code className="text-faint" title={rule.hash}>
            {rule.hash.slice(0, 8)}
          </code>
          <span
            className={cn(
              'inline-flex items-center gap-1',
              rule.status === 'ok' ? 'text-good' : rule.status === 'changed' ? 'text-bad' : 'text-faint',
            )}
          >
            {rule.status === 'ok' ? (
              <Check aria-hidden className="size-3" />
            ) : rule.status === 'changed' ? (
              <TriangleAlert aria-hidden className="size-3" />
            ) : (
              <CircleDashed aria-hidden className="size-3" />
            )}
            {t(`rule.${rule.status}`)}
          </span>
        </li>
      ))}
    </ul>
  )
}
