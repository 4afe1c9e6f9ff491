'use client'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import Link from 'next/link'
import { useFormatter } from 'next-intl'
import type { ReactNode } from 'react'
import { api } from '../../../client/api.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatBytes, formatCount } from '../../../lib/format.ts'
import type { ImportReport, ImportState } from '../../../protocol/import.ts'
import { Button } from '../../ui/button.tsx'
import { Shown } from '../../ui/shown.tsx'

/** Rollouts of one file that are named one by one. */
const named = 20

/** What was read of a file, what was not and where, and the way to the rollout. */
export function ImportReportView({ state, onAnother }: { state: ImportState; onAnother: () => void }) {
  const t = useTranslations('import')
  const { report, threadIds } = state
  const [first] = threadIds
  return (
    <div className="space-y-5">
      <div className="flex items-start gap-3">
        <CircleCheck aria-hidden className="mt-0.5 size-5 shrink-0 text-good" />
        <div className="min-w-0 flex-1">
          <p role="status" className="font-medium">
            {t('imported', { count: threadIds.length })}
          </p>
          <p className="truncate text-xs text-soft">
            <Shown
              text={t('from', {
                format: report?.program ?? (report?.format == null ? '' : t(`formats.${report.format}`)),
                name: state.fileName,
              })}
            />
          </p>
        </div>
        <Button small look="quiet" onClick={onAnother}>
          {t('another')}
        </Button>
        {first !== undefined && threadIds.length === 1 && (
          <Link
            href={`/threads/${first}/rollout`}
            className="inline-flex h-7 shrink-0 items-center rounded-md border border-transparent bg-brand px-2 text-xs font-medium text-on-brand hover:bg-brand-strong"
          >
            {t('open')}
          </Link>
        )}
      </div>
      {threadIds.length > 1 && <Rollouts threadIds={threadIds} />}
      {report !== null && <Report report={report} />}
    </div>
  )
}

function Rollouts({ threadIds }: { threadIds: readonly string[] }) {
  const t = useTranslations('import')
  const shown = threadIds.slice(0, named)
  const titles = useQuery({
    queryKey: ['import', 'titles', shown],
    queryFn: async () => {
      const threads = await Promise.all(shown.map((threadId) => api.thread.get.query({ threadId })))
      return new Map(threads.map(({ id, title }) => [id, title]))
    },
  })
  return (
    <Part title={t('rollouts')}>
      <ul className="max-h-44 overflow-y-auto rounded-lg border border-line">
        {shown.map((threadId, n) => (
          <li key={threadId} className="border-b border-line/60 last:border-b-0">
            <Link
              href={`/threads/${threadId}/rollout`}
              className="flex gap-3 px-3 py-1.5 text-[13px] row-hover focus-visible:-outline-offset-2"
            >
              <span className="w-6 shrink-0 text-right text-xs text-faint tabular">{n + 1}</span>
              <span className="truncate">
                <Shown text={titles.data?.get(threadId) ?? '…'} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <p className="mt-1.5 flex gap-2 text-xs text-faint">
        {threadIds.length > named && <span>{t('andMore', { count: threadIds.length - named })}</span>}
        <Link href="/rollouts?from=import" className="text-brand hover:underline">
          {t('showAll')}
        </Link>
      </p>
    </Part>
  )
}

function Report({ report }: { report: ImportReport }) {
  const t = useTranslations('import')
  const format = useFormatter()
  const calls = Object.values(report.toolCalls).reduce((sum, count) => sum + count, 0)
  const { messages, usage } = report
  const isFine = report.problemsTotal === 0 && Object.keys(report.unknown).length === 0
  return (
    <>
      <dl className="grid grid-cols-2 overflow-hidden rounded-lg border border-line sm:grid-cols-3">
        <Figure name={t('user')} value={format.number(messages.user)} />
        <Figure name={t('agent')} value={format.number(messages.agent)} />
        <Figure name={t('reasoning')} value={format.number(messages.reasoning)} />
        <Figure name={t('calls')} value={format.number(calls)} />
        <Figure name={t('tool')} value={format.number(messages.tool)} />
        <Figure
          name={t('tokens')}
          value={`${formatCount(usage.input)} · ${formatCount(usage.output)}`}
          more={usage.cachedInput > 0 ? t('cached', { count: formatCount(usage.cachedInput) }) : undefined}
        />
      </dl>
      {isFine ? <p className="text-sm text-soft">{t('fine')}</p> : <Problems report={report} />}
      {report.callsWithoutOutput + report.outputsWithoutCall > 0 && (
        <p className="text-xs text-soft">
          {[
            report.callsWithoutOutput > 0 && t('withoutOutput', { count: report.callsWithoutOutput }),
            report.outputsWithoutCall > 0 && t('withoutCall', { count: report.outputsWithoutCall }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      )}
      <Names title={t('unknown')} counts={report.unknown} />
      <Names title={t('tools')} counts={report.toolCalls} />
      {report.models.length > 0 && (
        <Part title={t('models')}>
          <p className="text-xs wrap-anywhere">
            <Shown text={report.models.join(', ')} />
          </p>
        </Part>
      )}
      <details className="group">
        <summary className="cursor-pointer text-xs font-medium text-soft hover:text-foreground">
          {t('records')} · {t('lines', { count: report.lines, size: formatBytes(report.bytes) })}
        </summary>
        <div className="pt-2">
          <Names counts={report.records} />
        </div>
      </details>
    </>
  )
}

function Problems({ report }: { report: ImportReport }) {
  const t = useTranslations('import')
  const more = report.problemsTotal - report.problems.length
  if (report.problemsTotal === 0) return null
  return (
    <section aria-label={t('problems', { count: report.problemsTotal })}>
      <h3 className="flex items-center gap-2 text-sm font-medium">
        <TriangleAlert aria-hidden className="size-4 shrink-0 text-wait" />
        {t('problems', { count: report.problemsTotal })}
      </h3>
      <p className="mb-2 text-xs text-soft">{t('problemsText')}</p>
      <ul className="max-h-52 overflow-y-auto rounded-lg border border-line text-xs">
        {report.problems.map(({ line, what }, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes.
          <li key={n} className="flex gap-3 border-b border-line/60 px-3 py-1.5 last:border-b-0">
            <span className="w-20 shrink-0 text-faint tabular">{line > 0 && t('line', { line })}</span>
            <span className="min-w-0 wrap-anywhere">
              <Shown text={what} />
            </span>
          </li>
        ))}
        {more > 0 && <li className="px-3 py-1.5 text-faint">{t('moreProblems', { count: more })}</li>}
      </ul>
    </section>
  )
}

/** Names with their counts, the most frequent first. */
function Names({ title, counts }: { title?: string; counts: Record<string, number> }) {
  const format = useFormatter()
  const names = Object.entries(counts).sort(([, a], [, b]) => b - a)
  if (names.length === 0) return null
  const list = (
    <ul className="flex max-h-40 flex-wrap gap-1.5 overflow-y-auto">
      {names.map(([name, count]) => (
        <li
          key={name}
          className="flex max-w-full items-baseline gap-1.5 rounded-md border border-line bg-subtle px-1.5 py-0.5 text-xs"
        >
          <code className="truncate">
            <Shown text={name} />
          </code>
          <span className="text-faint tabular">{format.number(count)}</span>
        </li>
      ))}
    </ul>
  )
  return title === undefined ? list : <Part title={title}>{list}</Part>
}

function Figure({ name, value, more }: { name: string; value: string; more?: string | undefined }) {
  return (
    <div className="-mr-px -mb-px border-r border-b border-line px-3 py-2">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="text-sm font-medium tabular">
        {value}
        {more !== undefined && <span className="pl-1.5 text-xs font-normal text-faint">{more}</span>}
      </dd>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1.5 text-xs font-medium text-soft">{title}</h3>
      {children}
    </section>
  )
}
