'use client'
import { ChevronRight } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { ChangedFile } from '../../../client/changes.ts'
import { useUi } from '../../../client/ui-store.ts'
import { DiffView } from '../../thread/diff-view.tsx'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'

type Props = {
  file: Pick<ChangedFile, 'path' | 'change' | 'additions' | 'deletions' | 'binary' | 'diff'>
  numbers?: boolean
  openAtFirst?: boolean
}

/** One file's difference under its name. */
export function Diff({ file, numbers = true, openAtFirst = true }: Props) {
  const t = useTranslations('rollout.changed')
  const style = useUi((ui) => ui.diffStyle)
  const [open, setOpen] = useState(openAtFirst)
  const slash = file.path.lastIndexOf('/') + 1
  return (
    <section className="min-w-0 overflow-hidden rounded-md border border-line" data-file={file.path}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-2 bg-subtle px-3 py-1 text-left text-xs row-hover focus-visible:-outline-offset-2"
      >
        <ChevronRight
          aria-hidden
          className={cn(
            'size-3.5 shrink-0 text-faint transition-transform duration-100',
            open && 'rotate-90',
          )}
        />
        <code className="flex min-w-0 flex-1">
          <span className="truncate text-faint">
            <Shown text={file.path.slice(0, slash)} />
          </span>
          <span className="shrink-0">
            <Shown text={file.path.slice(slash)} />
          </span>
        </code>
        <span className="text-good tabular">+{file.additions}</span>
        <span className="text-bad tabular">−{file.deletions}</span>
      </button>
      {open &&
        (file.binary ? (
          <p className="border-t border-line px-3 py-2 text-xs text-faint">{t('binary')}</p>
        ) : (
          <div className="border-t border-line">
            <DiffView diff={file.diff} numbers={numbers} style={style} />
          </div>
        ))}
    </section>
  )
}
