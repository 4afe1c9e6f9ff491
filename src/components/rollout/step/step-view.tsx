'use client'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { api, factOf } from '../../../client/api.ts'
import { type StepTab, stepTabs } from '../../../client/rollout-address.ts'
import { useRollout, useRolloutStore } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { RolloutRow, RolloutStep } from '../../../protocol/rollout.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Skeleton, Trouble } from '../../ui/states.tsx'
import { SelectedNotes } from '../slots.tsx'
import { Changed } from './changed.tsx'
import { Did } from './did.tsx'
import { Raw } from './raw.tsx'
import { Saw } from './saw.tsx'
import { StepHead } from './step-head.tsx'

/** The step that a row belongs to; read again while it runs and the rollout grows. */
function useStep(threadId: string, row: RolloutRow) {
  const head = useRollout(({ skeleton, pages }) => Math.max(skeleton?.head ?? 0, pages.head))
  const step = useQuery({
    queryKey: ['rollout', threadId, 'step', row.stepId],
    enabled: row.stepId !== null,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => api.rollout.step.query({ threadId, stepId: row.stepId ?? '' }, { signal }),
  })
  const { refetch, data } = step
  const over =
    data !== undefined && data.end !== null && data.items.every(({ completedAt }) => completedAt !== null)
  const read = useRef(head)
  useEffect(() => {
    if (data === undefined || over || head <= read.current) return
    read.current = head
    void refetch()
  }, [data, over, head, refetch])
  return step
}

/** One step: what the model saw, what it did, what changed by it, and the bytes. */
export function StepView({ row }: { row: RolloutRow }) {
  const t = useTranslations('rollout.step')
  const store = useRolloutStore()
  const threadId = useRollout((state) => state.threadId)
  const chosen = useRollout((state) => state.address.tab)
  const tab = chosen ?? (row.kind === 'step' ? 'saw' : 'did')
  const step = useStep(threadId, row)
  if (step.isError)
    return (
      <div className="flex h-full min-h-0 flex-col">
        <StepHead row={row} step={undefined} />
        <SelectedNotes threadId={threadId} row={row} />
        <div className="p-4">
          <Trouble title={t('failed')} fact={factOf(step.error)}>
            <Button small onClick={() => void step.refetch()}>
              {t('again')}
            </Button>
          </Trouble>
        </div>
      </div>
    )
  const { data } = step
  return (
    <div className="flex h-full min-h-0 flex-col">
      <StepHead row={row} step={data} />
      <SelectedNotes threadId={threadId} row={row} />
      <div role="tablist" aria-label={t('tabs')} className="flex shrink-0 gap-4 border-b border-line px-4">
        {stepTabs.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`step-tab-${name}`}
            aria-selected={tab === name}
            aria-controls="step-panel"
            tabIndex={tab === name ? 0 : -1}
            onClick={() => store.change({ tab: name })}
            onKeyDown={(event) => {
              const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
              const next = stepTabs[(stepTabs.indexOf(name) + by + stepTabs.length) % stepTabs.length]
              if (by === 0 || next === undefined) return
              event.preventDefault()
              event.stopPropagation()
              store.change({ tab: next })
              document.getElementById(`step-tab-${next}`)?.focus()
            }}
            className={cn(
              '-mb-px h-9 border-b-2 text-sm',
              tab === name
                ? 'border-brand font-medium text-foreground'
                : 'border-transparent text-soft hover:text-foreground',
            )}
          >
            {t(`tab.${name}`)}
            <TabCount tab={name} step={data} />
          </button>
        ))}
      </div>
      <div role="tabpanel" id="step-panel" aria-labelledby={`step-tab-${tab}`} className="min-h-0 flex-1">
        {data === undefined ? (
          <Waiting />
        ) : (
          <Panel key={`${data.row.stepId}:${tab}`} tab={tab} step={data} row={row} />
        )}
      </div>
    </div>
  )
}

function TabCount({ tab, step }: { tab: StepTab; step: RolloutStep | undefined }) {
  const count =
    step === undefined
      ? 0
      : tab === 'saw'
        ? step.blockCount
        : tab === 'did'
          ? step.items.length
          : tab === 'changed'
            ? changedFiles(step)
            : 0
  return count > 0 ? <span className="pl-1.5 text-xs font-normal text-faint tabular">{count}</span> : null
}

/** Files that the step changed, as its checkpoint or its calls say. */
function changedFiles(step: RolloutStep): number {
  const checkpoints = step.events.flatMap((event) =>
    event.type === 'checkpoint.created' ? [event.body.fileCount] : [],
  )
  if (checkpoints.length > 0) return Math.max(...checkpoints)
  return step.items.reduce((sum, { item }) => {
    const detail = item.type === 'tool_call' && 'detail' in item.state ? item.state.detail : undefined
    return sum + (detail?.type === 'patch' ? detail.files.length : 0)
  }, 0)
}

function Panel({ tab, step, row }: { tab: StepTab; step: RolloutStep; row: RolloutRow }): ReactNode {
  switch (tab) {
    case 'saw':
      return <Saw step={step} />
    case 'did':
      return <Did step={step} itemId={row.kind === 'step' ? null : row.itemId} />
    case 'changed':
      return <Changed step={step} />
    case 'raw':
      return <Raw step={step} />
  }
}

function Waiting() {
  const t = useTranslations('rollout.step')
  return (
    <div role="status" aria-label={t('loading')} className="space-y-2 p-4">
      <Skeleton className="h-6 w-1/2" />
      <Skeleton className="h-6" />
      <Skeleton className="h-6 w-4/5" />
      <Skeleton className="h-6 w-3/5" />
    </div>
  )
}
