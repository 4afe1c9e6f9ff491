'use client'
import Link from 'next/link'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useFormatter } from 'next-intl'
import { factOf } from '../../../client/api.ts'
import { useProjects } from '../../../client/query.ts'
import { type RolloutListFilter, useRollouts } from '../../../client/use-rollouts.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatCount, formatMoney } from '../../../lib/format.ts'
import { visible } from '../../../lib/visible.ts'
import type { RolloutSummary } from '../../../protocol/rollout.ts'
import { ThreadStatus } from '../../../protocol/thread.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { inputClass } from '../../ui/field.tsx'
import { Shown } from '../../ui/shown.tsx'
import { Empty, Skeleton, Trouble } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'

/** What the list shows stands in the address. */
function useListFilter(): { filter: RolloutListFilter; set: (name: string, value: string) => void } {
  const params = useSearchParams()
  const router = useRouter()
  const path = usePathname()
  const from = params.get('from')
  const status = ThreadStatus.safeParse(params.get('status'))
  const projectId = params.get('project')
  return {
    filter: {
      ...(from === 'import' ? { imported: true } : from === 'here' ? { imported: false } : {}),
      ...(status.success ? { status: status.data } : {}),
      ...(projectId?.startsWith('prj_') ? { projectId } : {}),
    },
    set: (name, value) => {
      const next = new URLSearchParams(params)
      if (value === '') next.delete(name)
      else next.set(name, value)
      const text = next.toString()
      router.replace(text === '' ? path : `${path}?${text}`, { scroll: false })
    },
  }
}

/** Every rollout in a line: what it came to. */
export function RolloutTable() {
  const t = useTranslations('rollouts')
  const { filter, set } = useListFilter()
  const found = useRollouts(filter)
  const list = found.data?.pages.flatMap(({ rollouts }) => rollouts) ?? []
  const filtered = Object.keys(filter).length > 0
  return (
    <>
      <ListFilters filter={filter} set={set} />
      {found.isError && found.data === undefined ? (
        <Trouble title={t('failed')} fact={factOf(found.error)}>
          <Button small onClick={() => void found.refetch()}>
            {t('again')}
          </Button>
        </Trouble>
      ) : found.data === undefined ? (
        <div className="space-y-2 pt-2">
          {[0, 1, 2, 3].map((n) => (
            <Skeleton key={n} className="h-8" />
          ))}
        </div>
      ) : list.length === 0 ? (
        <Empty title={filtered ? t('noneFit') : t('none')}>
          <p>{filtered ? '' : t('noneText')}</p>
        </Empty>
      ) : (
        <Table list={list} />
      )}
      {found.hasNextPage && (
        <Button
          className="mt-3"
          disabled={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          {found.isFetchingNextPage ? t('looking') : t('more')}
        </Button>
      )}
    </>
  )
}

const sources = ['', 'here', 'import'] as const

function ListFilters({
  filter,
  set,
}: {
  filter: RolloutListFilter
  set: (name: string, value: string) => void
}) {
  const t = useTranslations('rollouts')
  const status = useTranslations('threadStatus')
  const projects = useProjects()
  const source = filter.imported === undefined ? '' : filter.imported ? 'import' : 'here'
  const select = cn(inputClass, 'h-7 w-auto max-w-48 py-0 text-xs')
  return (
    <div className="flex flex-wrap items-center gap-2 py-3">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms. */}
      <div role="group" aria-label={t('source')} className="flex rounded-md border border-line p-px text-xs">
        {sources.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={source === name}
            onClick={() => set('from', name)}
            className={cn(
              'h-6 rounded px-2',
              source === name ? 'bg-hover font-medium text-foreground' : 'text-soft hover:text-foreground',
            )}
          >
            {t(name === '' ? 'all' : name === 'here' ? 'made' : 'imported')}
          </button>
        ))}
      </div>
      <select
        aria-label={t('project')}
        value={filter.projectId ?? ''}
        onChange={(event) => set('project', event.target.value)}
        className={select}
      >
        <option value="">{t('anyProject')}</option>
        {projects.data?.map((project) => (
          <option key={project.id} value={project.id}>
            {visible(project.name)}
          </option>
        ))}
      </select>
      <select
        aria-label={t('status')}
        value={filter.status ?? ''}
        onChange={(event) => set('status', event.target.value)}
        className={select}
      >
        <option value="">{t('anyStatus')}</option>
        {ThreadStatus.options.map((name) => (
          <option key={name} value={name}>
            {status(name)}
          </option>
        ))}
      </select>
    </div>
  )
}

const columns = ['models', 'turns', 'steps', 'windows', 'tokens', 'cost', 'errors', 'updated'] as const
/** Columns that a narrow screen has no room for. */
const wideOnly: Partial<Record<(typeof columns)[number], string>> = {
  models: 'max-lg:hidden',
  turns: 'max-md:hidden',
  windows: 'max-md:hidden',
  tokens: 'max-md:hidden',
  errors: 'max-md:hidden',
}

function Table({ list }: { list: readonly RolloutSummary[] }) {
  const t = useTranslations('rollouts')
  return (
    <table className="w-full text-[13px]">
      <thead>
        <tr className="border-b border-line text-xs text-faint">
          <th className="py-1.5 text-left font-medium">{t('columns.title')}</th>
          {columns.map((column) => (
            <th
              key={column}
              className={cn(
                'px-2 font-medium',
                column === 'models' ? 'text-left' : 'text-right',
                wideOnly[column],
              )}
            >
              {t(`columns.${column}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {list.map((rollout) => (
          <Line key={rollout.threadId} rollout={rollout} />
        ))}
      </tbody>
    </table>
  )
}

function Line({ rollout }: { rollout: RolloutSummary }) {
  const t = useTranslations('rollouts')
  const format = useFormatter()
  const cell = (column: (typeof columns)[number]): string =>
    cn('px-2 text-right whitespace-nowrap tabular', wideOnly[column])
  return (
    <tr className="h-9 border-b border-line/60 hover:bg-hover" data-rollout={rollout.threadId}>
      <td className="w-full max-w-0">
        <Link
          href={`/threads/${rollout.threadId}/rollout`}
          className="flex h-9 min-w-0 items-center gap-2 rounded focus-visible:-outline-offset-2"
        >
          <span className="min-w-0 truncate font-medium">
            <Shown text={rollout.title || t('untitled')} />
          </span>
          {rollout.imported !== null && (
            <span className="shrink-0 rounded border border-line px-1 text-2xs text-faint max-md:hidden">
              {t('from', { format: rollout.imported })}
            </span>
          )}
          {rollout.labels.map((label) => (
            <span
              key={label}
              className="max-w-24 shrink-0 truncate rounded bg-subtle px-1 text-2xs text-soft"
            >
              <Shown text={label} />
            </span>
          ))}
          <span className="min-w-0 shrink-[3] truncate text-xs text-faint max-md:hidden">
            <Shown text={rollout.projectName} />
          </span>
        </Link>
      </td>
      <td className={cn('max-w-44 truncate px-2 text-xs text-faint', wideOnly.models)}>
        <Shown text={rollout.models.join(', ')} />
      </td>
      <td className={cell('turns')}>{format.number(rollout.turns)}</td>
      <td className={cell('steps')}>{format.number(rollout.steps)}</td>
      <td className={cell('windows')}>{format.number(rollout.windows)}</td>
      <td className={cell('tokens')}>{formatCount(rollout.usage.input + rollout.usage.output)}</td>
      <td className={cell('cost')}>{rollout.costMicros === null ? '–' : formatMoney(rollout.costMicros)}</td>
      <td className={cn(cell('errors'), rollout.errors > 0 && 'text-bad')}>
        {format.number(rollout.errors)}
      </td>
      <td className={cell('updated')}>
        <Ago at={rollout.updatedAt} className="text-xs text-faint" />
      </td>
    </tr>
  )
}
