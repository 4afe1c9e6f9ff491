'use client'
import { useQuery } from '@tanstack/react-query'
import { Columns2, Rows2 } from 'lucide-react'
import { api, factOf } from '../../../client/api.ts'
import { type ChangedFile, splitDiff } from '../../../client/changes.ts'
import { filesOfCall } from '../../../client/edit-diff.ts'
import { blobPath, readWhole } from '../../../client/rollout-body.ts'
import { setUi, useUi } from '../../../client/ui-store.ts'
import { useRollout } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { FileChange } from '../../../protocol/event.ts'
import type { RolloutStep } from '../../../protocol/rollout.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Shown } from '../../ui/shown.tsx'
import { Empty, Skeleton, Trouble } from '../../ui/states.tsx'
import { Diff } from './diff.tsx'

/** Files that are open at first. */
const openAtFirst = 8

/** What a step changed in the workspace: by its checkpoint where there is one, else by its own patches. */
export function Changed({ step }: { step: RolloutStep }) {
  const t = useTranslations('rollout.changed')
  const threadId = useRollout((state) => state.threadId)
  const isImported = useRollout(({ skeleton }) => skeleton?.imported != null)
  const checkpoints = step.events.flatMap((event) =>
    event.type === 'checkpoint.created' ? [event.body] : [],
  )
  const [first, last] = [checkpoints[0], checkpoints.at(-1)]
  const range =
    first === undefined || last === undefined
      ? null
      : { from: first.previousTree ?? first.baseTree, to: last.tree }
  const moved = range !== null && range.from !== range.to
  const diff = useQuery({
    queryKey: ['diff', threadId, range?.from, range?.to],
    enabled: moved,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () =>
      splitDiff(
        (await api.thread.diff.query({ threadId, from: range?.from ?? '', to: range?.to ?? '' })).diff,
      ),
  })
  const written = useQuery({
    queryKey: ['written', threadId, step.row.stepId, step.items.length, step.end !== null],
    enabled: range === null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    queryFn: ({ signal }) => writtenBy(threadId, step, signal),
  })
  const files = (range === null ? written.data : diff.data) ?? []
  if (range === null && written.isError)
    return (
      <div className="p-4">
        <Trouble title={t('failed')} fact={factOf(written.error)}>
          <Button small onClick={() => void written.refetch()}>
            {t('again')}
          </Button>
        </Trouble>
      </div>
    )
  if (moved && diff.isError)
    return (
      <ScrollBox label={t('label')} className="h-full space-y-3 p-4">
        <Trouble title={t('failed')} fact={factOf(diff.error)}>
          <Button small onClick={() => void diff.refetch()}>
            {t('again')}
          </Button>
        </Trouble>
        <Names files={last?.files ?? []} />
      </ScrollBox>
    )
  if ((moved && diff.data === undefined) || (range === null && written.data === undefined))
    return (
      <div className="space-y-2 p-4">
        <Skeleton className="h-7" />
        <Skeleton className="h-32" />
      </div>
    )
  if (files.length === 0)
    return (
      <Empty title={t('none')}>
        <p>
          {step.end === null ? t('notYet') : range === null && isImported ? t('noneTold') : t('noneText')}
        </p>
      </Empty>
    )
  return <Files files={files} fromPatches={range === null} more={(last?.fileCount ?? 0) - files.length} />
}

function Files({ files, fromPatches, more }: { files: ChangedFile[]; fromPatches: boolean; more: number }) {
  const t = useTranslations('rollout.changed')
  const style = useUi((ui) => ui.diffStyle)
  return (
    <ScrollBox label={t('label')} className="h-full space-y-2 px-4 py-2 pb-6">
      <p className="flex items-center gap-2 text-xs text-faint tabular">
        <span className="text-good">+{files.reduce((sum, file) => sum + file.additions, 0)}</span>
        <span className="text-bad">−{files.reduce((sum, file) => sum + file.deletions, 0)}</span>
        {t('files', { count: files.length })}
        {fromPatches && <span>{t('fromPatches')}</span>}
        <span className="flex-1" />
        <IconButton
          label={style === 'unified' ? t('split') : t('unified')}
          onClick={() => setUi({ diffStyle: style === 'unified' ? 'split' : 'unified' })}
        >
          {style === 'unified' ? <Columns2 aria-hidden /> : <Rows2 aria-hidden />}
        </IconButton>
      </p>
      {files.map((file, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: several patches may write one file.
        <Diff key={`${file.path}:${at}`} file={file} numbers={!fromPatches} openAtFirst={at < openAtFirst} />
      ))}
      {more > 0 && <p className="text-xs text-faint">{t('moreFiles', { count: more })}</p>}
    </ScrollBox>
  )
}

function Names({ files }: { files: readonly FileChange[] }) {
  return (
    <ul className="space-y-0.5 text-xs">
      {files.map((file) => (
        <li key={file.path} className="flex gap-2">
          <code className="min-w-0 flex-1 truncate">
            <Shown text={file.path} />
          </code>
          <span className="text-good tabular">+{file.additions}</span>
          <span className="text-bad tabular">−{file.deletions}</span>
        </li>
      ))}
    </ul>
  )
}

/** Arguments of one call that are read for its difference, in bytes; a longer call is shown under Did alone. */
const mostArguments = 2_097_152

/** What the step's calls wrote, as differences of files: patches, edits, whole files. */
async function writtenBy(threadId: string, step: RolloutStep, signal: AbortSignal): Promise<ChangedFile[]> {
  const files: ChangedFile[] = []
  for (const { item } of step.items) {
    if (item.type !== 'tool_call') continue
    if (item.state.status === 'refused' || item.state.status === 'failed') continue
    const { text, blob } = item.arguments
    const whole = blob === undefined ? text : await readWhole(blobPath(threadId, blob), mostArguments, signal)
    for (const file of whole === null ? [] : filesOfCall(item.tool, whole))
      files.push({ ...file, change: 'modified', binary: false })
  }
  return files
}
