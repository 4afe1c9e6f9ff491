'use client'
import { ArrowDown, ArrowLeftRight, ArrowUp, Files as FilesIcon } from 'lucide-react'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { sayAddress } from '../../../client/address-bar.ts'
import { factOf } from '../../../client/api.ts'
import { nextDifference, useComparison } from '../../../client/compare.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import type { RolloutComparison } from '../../../protocol/compare.ts'
import { Bar } from '../../shell/bar.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Shown } from '../../ui/shown.tsx'
import { Empty, Skeleton, Trouble } from '../../ui/states.tsx'
import { comparePath } from './compare-button.tsx'
import { Figures } from './figures.tsx'
import { Files } from './files.tsx'
import { LineDetail } from './line-detail.tsx'
import { Lines } from './lines.tsx'
import { SideBadge } from './side-badge.tsx'
import { useCompareKeys } from './use-compare-keys.ts'

const useMounted = (): boolean =>
  useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  )

/** Two rollouts side by side. */
export function CompareScreen({ a, b }: { a: string; b: string }) {
  return useMounted() ? <Opened a={a} b={b} /> : null
}

function Opened({ a, b }: { a: string; b: string }) {
  const t = useTranslations('compare')
  const found = useComparison(a, b)
  if (a === '' || b === '')
    return (
      <>
        <Head />
        <Empty title={t('two')}>{t('twoText')}</Empty>
      </>
    )
  if (found.isError && found.data === undefined) {
    const fact = factOf(found.error)
    return (
      <>
        <Head />
        <div className="mx-auto w-full max-w-xl p-6">
          <Trouble
            title={fact.code === 'not_found' || fact.code === 'bad_input' ? t('missing') : t('failed')}
            fact={fact}
          >
            <Button small onClick={() => void found.refetch()}>
              {t('again')}
            </Button>
          </Trouble>
        </div>
      </>
    )
  }
  if (found.data === undefined)
    return (
      <>
        <Head />
        <div className="space-y-3 p-4">
          <p role="status" className="text-sm text-soft">
            {t('comparing')}
          </p>
          <Skeleton className="h-24" />
          <Skeleton className="h-64" />
        </div>
      </>
    )
  return <Compared key={`${found.data.a.head} ${found.data.b.head}`} data={found.data} />
}

function Head() {
  const t = useTranslations('compare')
  return (
    <Bar>
      <h1 className="text-sm font-semibold">{t('title')}</h1>
    </Bar>
  )
}

const lineInAddress = (): number | null => {
  const text = new URLSearchParams(window.location.search).get('line') ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}

function Compared({ data }: { data: RolloutComparison }) {
  const t = useTranslations('compare')
  const router = useRouter()
  const { differences, first } = data
  const [line, setLine] = useState<number | null>(() => lineInAddress() ?? first?.line ?? null)
  const [only, setOnly] = useState(false)
  const [detail, setDetail] = useState(true)
  const [files, setFiles] = useState(false)
  const at = line === null ? -1 : differences.lines.indexOf(line)
  const place = line === null ? null : only ? (at >= 0 ? at : null) : line

  useEffect(() => {
    const params = new URLSearchParams(window.location.search)
    if (line === null) params.delete('line')
    else params.set('line', String(line))
    sayAddress('replaceState', `${window.location.pathname}?${params}`)
  }, [line])

  const step = (by: 1 | -1): void => {
    const next = nextDifference(differences.lines, line ?? (by > 0 ? -1 : data.lines), by)
    if (next !== null) setLine(next)
  }
  const move = (by: 1 | -1): void => {
    const next = (line ?? -1) + by
    if (only) step(by)
    else if (next >= 0 && next < data.lines) setLine(next)
  }
  const swap = (): void => router.push(comparePath(data.b.threadId, data.a.threadId))
  const toggle = (): void => {
    // What is looked at stays in sight: of lines that are the same the nearest difference.
    if (!only && line !== null && at < 0)
      setLine(nextDifference(differences.lines, line, 1) ?? first?.line ?? null)
    setOnly(!only)
  }
  useCompareKeys({ step, move, toggle, swap, open: () => setDetail(true), close: () => setDetail(false) })

  return (
    <>
      <Bar>
        <h1 className="sr-only">{t('title')}</h1>
        <Title data={data} side="a" />
        <IconButton label={t('swap')} keys="x" onClick={swap}>
          <ArrowLeftRight aria-hidden />
        </IconButton>
        <Title data={data} side="b" />
      </Bar>
      <Figures data={data} />
      <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1.5 md:px-4">
        <Parting data={data} show={() => first !== null && setLine(first.line)} />
        <span className="ml-auto flex min-w-0 flex-wrap items-center justify-end gap-1">
          {data.files.total > 0 && (
            <Button look="quiet" small onClick={() => setFiles(true)}>
              <FilesIcon aria-hidden className="size-3.5" />
              {t('filesButton', { both: data.files.both, total: data.files.total })}
            </Button>
          )}
          <Button look="quiet" small aria-pressed={only} disabled={differences.total === 0} onClick={toggle}>
            {only ? t('showAll') : t('showOnly')}
          </Button>
          <span role="status" className="text-right text-xs text-soft tabular md:min-w-20">
            {at >= 0
              ? t('place', { at: at + 1, total: differences.total })
              : t('total', { total: differences.total })}
          </span>
          <IconButton label={t('previous')} keys="p" onClick={() => step(-1)}>
            <ArrowUp aria-hidden />
          </IconButton>
          <IconButton label={t('next')} keys="n" onClick={() => step(1)}>
            <ArrowDown aria-hidden />
          </IconButton>
        </span>
      </div>
      {data.lines === 0 ? (
        <Empty title={t('empty')} />
      ) : (
        <Lines
          data={data}
          only={only}
          line={line}
          place={place}
          onSelect={(next) => {
            setLine(next)
            setDetail(true)
          }}
        />
      )}
      {line !== null && detail && data.lines > 0 && (
        <div className="h-[34%] min-h-44 shrink-0 border-t border-line-strong">
          <LineDetail data={data} line={line} onClose={() => setDetail(false)} />
        </div>
      )}
      <Files files={data.files} open={files} onOpenChange={setFiles} />
    </>
  )
}

function Title({ data, side }: { data: RolloutComparison; side: 'a' | 'b' }) {
  const untitled = useTranslations('sidebar')('untitled')
  return (
    <Link
      href={`/threads/${data[side].threadId}/rollout`}
      title={visible(data[side].title)}
      className="flex min-w-0 flex-1 items-center gap-2 rounded px-1 text-sm font-medium row-hover"
    >
      <SideBadge side={side} />
      <span className="truncate">
        <Shown text={data[side].title || untitled} />
      </span>
    </Link>
  )
}

/** Where the two part, in one sentence. */
function Parting({ data, show }: { data: RolloutComparison; show: () => void }) {
  const t = useTranslations('compare')
  const { first } = data
  if (first === null) return <p className="text-sm">{t('identical', { lines: data.lines })}</p>
  const name = first.a?.kind === 'tool' ? first.a.name : first.b?.kind === 'tool' ? first.b.name : ''
  const side = first.a === null ? 'B' : 'A'
  const how = first.fields.includes('only')
    ? t('parts.only', { side })
    : t(`parts.${first.fields[0] ?? 'text'}`, { tool: visible(name) })
  return (
    <p className="flex min-w-0 items-center gap-2 text-sm" data-testid="parting">
      <span className="min-w-0">
        {t('partAt', { turn: first.turn + 1 })} <span className="font-medium">{how}</span>
      </span>
      <Button look="quiet" small onClick={show}>
        {t('show')}
      </Button>
    </p>
  )
}
