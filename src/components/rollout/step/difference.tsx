'use client'
import { useQuery } from '@tanstack/react-query'
import { useFormatter } from 'next-intl'
import { useState } from 'react'
import { api, factOf } from '../../../client/api.ts'
import { useRollout } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { RequestBlock } from '../../../protocol/rollout.ts'
import { Button } from '../../ui/button.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Skeleton, Trouble } from '../../ui/states.tsx'
import { BlockEntry } from './block-entry.tsx'

/** What two requests have in common, and what only one of them has. */
export function Difference({ a, b }: { a: string; b: string }) {
  const t = useTranslations('rollout.difference')
  const format = useFormatter()
  const threadId = useRollout((state) => state.threadId)
  const found = useQuery({
    queryKey: ['rollout', threadId, 'difference', a, b],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => api.rollout.difference.query({ threadId, a, b }, { signal }),
  })
  if (found.isError)
    return (
      <div className="p-4">
        <Trouble title={t('failed')} fact={factOf(found.error)}>
          <Button small onClick={() => void found.refetch()}>
            {t('again')}
          </Button>
        </Trouble>
      </div>
    )
  if (found.data === undefined)
    return (
      <div className="space-y-2 p-4">
        <Skeleton className="h-6 w-1/2" />
        <Skeleton className="h-24" />
      </div>
    )
  const { data } = found
  const moved = data.b.tokens - data.a.tokens
  return (
    <ScrollBox label={t('label')} className="min-h-0 flex-1 pb-6" data-testid="difference">
      <p className="border-b border-line px-4 py-2 text-xs text-soft tabular">
        {t('same', { blocks: data.sameBlocks, tokens: format.number(data.sameTokens) })}
        {' · '}
        <span>{t('moved', { tokens: `${moved >= 0 ? '+' : '−'}${format.number(Math.abs(moved))}` })}</span>
      </p>
      <Side title={t('onlyB')} stepId={b} blocks={data.onlyB} mark="+" />
      <Side title={t('onlyA')} stepId={a} blocks={data.onlyA} mark="−" />
      {data.onlyA.length + data.onlyB.length === 0 && (
        <p className="px-4 py-3 text-sm text-soft">{t('nothing')}</p>
      )}
      {data.cut && <p className="px-4 py-2 text-xs text-wait">{t('cut')}</p>}
    </ScrollBox>
  )
}

const first = 60

export function Side({
  title,
  stepId,
  blocks,
  mark,
}: {
  title: string
  stepId: string
  blocks: readonly RequestBlock[]
  mark: '+' | '−'
}) {
  const t = useTranslations('rollout.difference')
  const format = useFormatter()
  const [all, setAll] = useState(false)
  if (blocks.length === 0) return null
  const tokens = blocks.reduce((sum, block) => sum + block.tokens, 0)
  return (
    <section>
      <h3 className="flex items-baseline gap-2 bg-subtle px-4 py-1.5 text-xs font-medium">
        <span aria-hidden className={mark === '+' ? 'text-good' : 'text-bad'}>
          {mark}
        </span>
        {title}
        <span className="font-normal text-faint tabular">
          {t('amount', { blocks: blocks.length, tokens: format.number(tokens) })}
        </span>
      </h3>
      {(all ? blocks : blocks.slice(0, first)).map((block) => (
        <BlockEntry key={block.idx} stepId={stepId} block={block} />
      ))}
      {!all && blocks.length > first && (
        <Button small look="quiet" className="mx-4 my-1" onClick={() => setAll(true)}>
          {t('more', { count: blocks.length - first })}
        </Button>
      )}
    </section>
  )
}
