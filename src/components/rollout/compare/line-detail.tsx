'use client'
import { ExternalLink, X } from 'lucide-react'
import Link from 'next/link'
import { useEffect, useState } from 'react'
import { factOf } from '../../../client/api.ts'
import { headsOf, useCompareDetail } from '../../../client/compare.ts'
import { readJson } from '../../../client/rollout-text.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { CompareCell, CompareText, RolloutComparison } from '../../../protocol/compare.ts'
import { TextDiff } from '../../thread/notes/text-diff.tsx'
import { IconButton } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Skeleton, Trouble } from '../../ui/states.tsx'
import { TextView } from '../body/text-view.tsx'
import { SideBadge } from './side-badge.tsx'
import { WindowsApart } from './windows-apart.tsx'

type Tab = 'said' | 'gave' | 'windows'

type LineDetailProps = { data: RolloutComparison; line: number; onClose: () => void }

const placeIn = (cell: CompareCell): string => (cell.itemId === null ? `?e=${cell.seq}` : `?i=${cell.itemId}`)

/** What a line says on both sides, word by word, and what the two models were given there. */
export function LineDetail({ data, line, onClose }: LineDetailProps) {
  const t = useTranslations('compare.detail')
  const detail = useCompareDetail(headsOf(data), line)
  const shown = detail.data?.line
  const isFirst = data.first?.line === line
  const gave = (detail.data?.a?.gave ?? detail.data?.b?.gave ?? null) !== null
  const [wanted, setTab] = useState<Tab>('said')
  const fields = shown?.fields ?? []
  const onlyResult = fields.length === 1 && fields[0] === 'result'
  // biome-ignore lint/correctness/useExhaustiveDependencies: another line shows what differs in it.
  useEffect(() => setTab(onlyResult ? 'gave' : 'said'), [line, onlyResult])
  const tabs: Tab[] = ['said', ...(gave ? (['gave'] as const) : []), 'windows']
  const tab = tabs.includes(wanted) ? wanted : 'said'

  return (
    <section aria-label={t('label')} className="flex h-full min-h-0 flex-col">
      <header className="flex shrink-0 items-center gap-2 border-b border-line py-1 pr-1.5 pl-3">
        <div role="tablist" aria-label={t('label')} className="flex min-w-0 gap-1 overflow-x-auto">
          {tabs.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={tab === each}
              onClick={() => setTab(each)}
              className={cn(
                'h-7 shrink-0 rounded-md px-2.5 text-xs whitespace-nowrap text-soft row-hover',
                tab === each && 'bg-hover font-medium text-foreground',
              )}
            >
              {each === 'said'
                ? t(shown?.a?.kind === 'tool' || shown?.b?.kind === 'tool' ? 'arguments' : 'words')
                : t(each)}
            </button>
          ))}
        </div>
        {isFirst && (
          <span className="truncate rounded bg-wait-soft px-1.5 text-2xs font-medium text-wait max-md:hidden">
            {t('first')}
          </span>
        )}
        <span className="ml-auto flex items-center gap-1">
          {(['a', 'b'] as const).map((side) => {
            const cell = shown?.[side]
            return cell ? (
              <Link
                key={side}
                href={`/threads/${data[side].threadId}/rollout${placeIn(cell)}`}
                className="inline-flex h-7 items-center gap-1.5 rounded-md px-2 text-xs text-soft row-hover"
              >
                <SideBadge side={side} />
                <span className="max-md:sr-only">{t('open')}</span>
                <ExternalLink aria-hidden className="size-3" />
              </Link>
            ) : null
          })}
          <IconButton label={t('close')} keys="esc" onClick={onClose}>
            <X aria-hidden />
          </IconButton>
        </span>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div role="tabpanel" aria-label={t('label')} tabIndex={0} className="min-h-0 flex-1 overflow-y-auto">
        {detail.isError ? (
          <div className="p-3">
            <Trouble title={t('failed')} fact={factOf(detail.error)} />
          </div>
        ) : detail.data === undefined ? (
          <Skeleton className="m-3 h-16" />
        ) : tab === 'windows' ? (
          <WindowsApart data={data} line={detail.data.line} />
        ) : (
          <Texts a={detail.data.a} b={detail.data.b} part={tab} />
        )}
      </div>
    </section>
  )
}

function Texts({ a, b, part }: { a: CompareText | null; b: CompareText | null; part: 'said' | 'gave' }) {
  const t = useTranslations('compare.detail')
  const [left, right] = [a?.[part] ?? null, b?.[part] ?? null]
  const cut = (a?.cut ?? false) || (b?.cut ?? false)
  return (
    <>
      {left !== null && right !== null && left !== right ? (
        <TextDiff name={`${part}.txt`} before={`${pretty(left)}\n`} after={`${pretty(right)}\n`} />
      ) : left === null && right === null ? (
        <p className="p-3 text-xs text-soft">{t('nothing')}</p>
      ) : (
        <div className="p-3">
          <TextView text={pretty(left ?? right ?? '')} />
        </div>
      )}
      {left !== null && left === right && <p className="px-3 pb-3 text-xs text-faint">{t('equal')}</p>}
      {(left === null) !== (right === null) && (
        <p className="px-3 pb-3 text-xs text-faint">{t('oneSide', { side: left === null ? 'B' : 'A' })}</p>
      )}
      {cut && <p className="px-3 pb-3 text-xs text-wait">{t('cut')}</p>}
    </>
  )
}

/** Arguments on lines of their own, so that a difference is one line. */
function pretty(text: string): string {
  const read = readJson(text)
  return 'value' in read ? JSON.stringify(read.value, null, 2) : text
}
