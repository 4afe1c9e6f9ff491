'use client'
import { useFormatter } from 'next-intl'
import { factOf } from '../../../client/api.ts'
import { useWindowsApart } from '../../../client/compare.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatCount } from '../../../lib/format.ts'
import { visible } from '../../../lib/visible.ts'
import type { CompareLine, RolloutComparison } from '../../../protocol/compare.ts'
import type { RequestBlock } from '../../../protocol/rollout.ts'
import { Shown } from '../../ui/shown.tsx'
import { Skeleton, Trouble } from '../../ui/states.tsx'
import { useBlockName } from '../step/block-entry.tsx'
import { SideBadge } from './side-badge.tsx'

/** Which blocks each model was given there that the other was not. */
export function WindowsApart({ data, line }: { data: RolloutComparison; line: CompareLine }) {
  const t = useTranslations('compare.windows')
  const format = useFormatter()
  const first = data.first?.line === line.line ? data.first : null
  const stepA = first?.stepA ?? line.a?.stepId ?? null
  const stepB = first?.stepB ?? line.b?.stepId ?? null
  const found = useWindowsApart(data.a.threadId, data.b.threadId, stepA, stepB)
  if (stepA === null || stepB === null) return <p className="p-3 text-xs text-soft">{t('none')}</p>
  if (found.isError)
    return (
      <div className="p-3">
        <Trouble title={t('failed')} fact={factOf(found.error)} />
      </div>
    )
  if (found.data === undefined) return <Skeleton className="m-3 h-16" />
  const { sameBlocks, sameTokens, onlyA, onlyB, cut } = found.data
  return (
    <div className="pb-3">
      <p className="px-3 py-2 text-xs text-soft tabular">
        {t('same', { blocks: sameBlocks, tokens: format.number(sameTokens) })}
        {onlyA.length + onlyB.length === 0 && ` ${t('nothing')}`}
      </p>
      <div className="grid md:grid-cols-2 md:divide-x md:divide-line">
        <Only side="a" blocks={onlyA} />
        <Only side="b" blocks={onlyB} />
      </div>
      {cut && <p className="px-3 pt-2 text-xs text-wait">{t('cut')}</p>}
    </div>
  )
}

function Only({ side, blocks }: { side: 'a' | 'b'; blocks: readonly RequestBlock[] }) {
  const t = useTranslations('compare.windows')
  const format = useFormatter()
  const tokens = blocks.reduce((sum, block) => sum + block.tokens, 0)
  return (
    <section aria-label={t('only', { side: side.toUpperCase() })}>
      <h3 className="flex items-center gap-2 bg-subtle px-3 py-1 text-xs font-medium">
        <SideBadge side={side} />
        {t('only', { side: side.toUpperCase() })}
        <span className="font-normal text-faint tabular">
          {t('amount', { blocks: blocks.length, tokens: format.number(tokens) })}
        </span>
      </h3>
      <ul>
        {blocks.map((block) => (
          <Block key={block.idx} block={block} />
        ))}
      </ul>
    </section>
  )
}

function Block({ block }: { block: RequestBlock }) {
  const name = useBlockName(block.kind)
  return (
    <li className="flex h-7 min-w-0 items-center gap-2 border-b border-line/60 px-3 text-[13px]">
      <span className="w-22 shrink-0 truncate font-medium">{name}</span>
      <span className="min-w-0 flex-1 truncate text-soft" title={visible(block.preview)}>
        <Shown text={block.preview} />
      </span>
      <span className="shrink-0 text-xs text-faint tabular">{formatCount(block.tokens)}</span>
    </li>
  )
}
