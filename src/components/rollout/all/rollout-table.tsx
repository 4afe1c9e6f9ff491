'use client'
import Link from 'next/link'
import { useFormatter, useTranslations } from 'next-intl'
import { factOf } from '../../../client/api.ts'
import { useThreads } from '../../../client/query.ts'
import { formatCount, formatMoney } from '../../../lib/format.ts'
import type { ThreadProjection } from '../../../protocol/thread.ts'
import { ThreadStateIcon } from '../../shell/thread-state.tsx'
import { Button } from '../../ui/button.tsx'
import { Shown } from '../../ui/shown.tsx'
import { Empty, Skeleton, Trouble } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'

/** Every rollout in a line: what it came to. */
export function RolloutTable() {
  const t = useTranslations('rollouts')
  const threads = useThreads({ limit: 500 })
  if (threads.isError && threads.data === undefined)
    return (
      <div className="pt-4">
        <Trouble title={t('failed')} detail={factOf(threads.error).message}>
          <Button small onClick={() => void threads.refetch()}>
            {t('again')}
          </Button>
        </Trouble>
      </div>
    )
  if (threads.data === undefined)
    return (
      <div className="space-y-2 pt-4">
        {[0, 1, 2, 3].map((n) => (
          <Skeleton key={n} className="h-8" />
        ))}
      </div>
    )
  const list = threads.data.threads
  if (list.length === 0)
    return (
      <Empty title={t('none')}>
        <p>{t('noneText')}</p>
      </Empty>
    )
  const columns = ['turns', 'steps', 'windows', 'tokens', 'cost', 'updated'] as const
  return (
    <table className="mt-3 w-full text-[13px]">
      <thead>
        <tr className="border-b border-line text-xs text-faint">
          <th className="py-1.5 text-left font-medium">{t('columns.title')}</th>
          {columns.map((column) => (
            <th
              key={column}
              className={
                column === 'windows' || column === 'turns' || column === 'tokens'
                  ? 'px-2 text-right font-medium max-md:hidden'
                  : 'px-2 text-right font-medium'
              }
            >
              {t(`columns.${column}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {list.map((thread) => (
          <Line key={thread.id} thread={thread} />
        ))}
      </tbody>
    </table>
  )
}

function Line({ thread }: { thread: ThreadProjection }) {
  const t = useTranslations('rollouts')
  const format = useFormatter()
  const cell = 'px-2 text-right whitespace-nowrap tabular'
  return (
    <tr className="h-9 border-b border-line/60 hover:bg-hover">
      <td className="max-w-0 w-full">
        <Link
          href={`/threads/${thread.id}/rollout`}
          className="flex h-9 min-w-0 items-center gap-2 rounded focus-visible:-outline-offset-2"
        >
          <ThreadStateIcon thread={thread} />
          <span className="min-w-0 truncate font-medium">
            <Shown text={thread.title || t('untitled')} />
          </span>
          <span className="min-w-0 shrink-[3] truncate text-xs text-faint">
            <Shown text={thread.projectName} />
          </span>
        </Link>
      </td>
      <td className={`${cell} max-md:hidden`}>{format.number(thread.turns)}</td>
      <td className={cell}>{format.number(thread.steps)}</td>
      <td className={`${cell} max-md:hidden`}>{format.number(thread.windowIndex + 1)}</td>
      <td className={`${cell} max-md:hidden`}>{formatCount(thread.usage.input + thread.usage.output)}</td>
      <td className={cell}>{thread.costMicros === null ? '–' : formatMoney(thread.costMicros)}</td>
      <td className={cell}>
        <Ago at={thread.updatedAt} className="text-xs text-faint" />
      </td>
    </tr>
  )
}
