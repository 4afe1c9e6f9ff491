'use client'
import { useQuery } from '@tanstack/react-query'
import { Columns2, FileMinus, FilePen, FilePlus, FileSymlink, Rows2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { api, factOf } from '../../../client/api.ts'
import { type ChangedFile, splitDiff, turnsWithChanges } from '../../../client/changes.ts'
import { setUi, useUi } from '../../../client/ui-store.ts'
import { useThread, useThreadStore } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Chevron } from '../../ui/chevron.tsx'
import { cn } from '../../ui/cn.ts'
import { inputClass } from '../../ui/field.tsx'
import { FilePath } from '../../ui/file-path.tsx'
import { Empty, Skeleton, Trouble } from '../../ui/states.tsx'
import { DiffView } from '../diff-view.tsx'

const icons = {
  added: <FilePlus aria-hidden className="size-3.5 text-good" />,
  modified: <FilePen aria-hidden className="size-3.5 text-soft" />,
  deleted: <FileMinus aria-hidden className="size-3.5 text-bad" />,
  moved: <FileSymlink aria-hidden className="size-3.5 text-soft" />,
}

/** What changed in the workspace: since the thread began, or in one turn. */
export function Changes() {
  const t = useTranslations('changes')
  const store = useThreadStore()
  const threadId = useThread((state) => state.threadId)
  const version = useThread((state) => state.version)
  const diffStyle = useUi((ui) => ui.diffStyle)
  const [scope, setScope] = useState<string>('thread')

  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is changed in place; its version says when.
  const { turns, latest } = useMemo(() => {
    const { view } = store.getState()
    return { turns: turnsWithChanges(view), latest: view.checkpoints.at(-1) }
  }, [store, version])

  const turn = turns.find(({ turnId }) => turnId === scope)
  const range = turn ?? (latest ? { from: latest.baseTree, to: latest.tree } : null)
  const diff = useQuery({
    queryKey: ['diff', threadId, range?.from, range?.to],
    enabled: range !== null && range.from !== range.to,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
    queryFn: async () =>
      splitDiff(
        (await api.thread.diff.query({ threadId, from: range?.from ?? '', to: range?.to ?? '' })).diff,
      ),
  })
  const files = range === null || range.from === range.to ? [] : (diff.data ?? [])

  if (range === null || (turn === undefined && range.from === range.to && turns.length === 0))
    return (
      <Empty title={t('none')}>
        <p>{t('noneText')}</p>
      </Empty>
    )
  return (
    <div>
      <div className="sticky top-0 z-10 flex h-10 items-center gap-2 border-b border-line bg-background px-3">
        <select
          value={turn ? scope : 'thread'}
          onChange={(event) => setScope(event.target.value)}
          aria-label={t('scope')}
          className={cn(inputClass, 'h-7 w-auto max-w-44 py-0 text-xs')}
        >
          <option value="thread">{t('wholeThread')}</option>
          {turns.map(({ turnId, number }) => (
            <option key={turnId} value={turnId}>
              {t('turn', { number })}
            </option>
          ))}
        </select>
        <span className="flex-1 truncate text-xs text-faint tabular">
          <span className="text-good">+{files.reduce((sum, file) => sum + file.additions, 0)}</span>{' '}
          <span className="text-bad">−{files.reduce((sum, file) => sum + file.deletions, 0)}</span>{' '}
          {t('inFiles', { count: files.length })}
        </span>
        <IconButton
          label={diffStyle === 'unified' ? t('split') : t('unified')}
          onClick={() => setUi({ diffStyle: diffStyle === 'unified' ? 'split' : 'unified' })}
        >
          {diffStyle === 'unified' ? <Columns2 aria-hidden /> : <Rows2 aria-hidden />}
        </IconButton>
      </div>
      {diff.isError ? (
        <div className="p-3">
          <Trouble title={t('failed')} fact={factOf(diff.error)}>
            <Button small onClick={() => void diff.refetch()}>
              {t('retry')}
            </Button>
          </Trouble>
        </div>
      ) : diff.isPending && range.from !== range.to ? (
        <div className="space-y-2 p-3">
          <Skeleton className="h-8" />
          <Skeleton className="h-8" />
        </div>
      ) : files.length === 0 ? (
        <Empty title={t('same')} />
      ) : (
        <ul>
          {files.map((file, index) => (
            <FileChanges key={file.path} file={file} openAtFirst={index < 3 && files.length <= 12} />
          ))}
        </ul>
      )}
      {latest !== undefined && latest.leftOut.length > 0 && (
        <p className="px-3 py-2 text-xs text-faint">{t('leftOut', { count: latest.leftOut.length })}</p>
      )}
    </div>
  )
}

function FileChanges({ file, openAtFirst }: { file: ChangedFile; openAtFirst: boolean }) {
  const t = useTranslations('changes')
  const diffStyle = useUi((ui) => ui.diffStyle)
  const [open, setOpen] = useState(openAtFirst)
  return (
    <li className="border-b border-line">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex h-8 w-full items-center gap-2 px-3 text-left text-[12.5px] row-hover focus-visible:-outline-offset-2"
      >
        <Chevron open={open} />
        {icons[file.change]}
        <span className="sr-only">{t(`change.${file.change}`)}</span>
        <FilePath path={file.path} />
        <span className="text-xs text-good tabular">+{file.additions}</span>
        <span className="text-xs text-bad tabular">−{file.deletions}</span>
      </button>
      {open &&
        (file.binary ? (
          <p className="px-3 py-2 text-xs text-faint">{t('binary')}</p>
        ) : file.additions + file.deletions > 3_000 ? (
          <LargeDiff file={file} />
        ) : (
          <div className="border-t border-line">
            <DiffView diff={file.diff} style={diffStyle} />
          </div>
        ))}
    </li>
  )
}

function LargeDiff({ file }: { file: ChangedFile }) {
  const t = useTranslations('changes')
  const [shown, setShown] = useState(false)
  if (shown) return <DiffView diff={file.diff} />
  return (
    <div className="px-3 py-2">
      <Button small onClick={() => setShown(true)}>
        {t('large', { count: file.additions + file.deletions })}
      </Button>
    </div>
  )
}
