'use client'
import { useState } from 'react'
import type { ChangedFile } from '../../../client/changes.ts'
import { useUi } from '../../../client/ui-store.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { DiffView } from '../../thread/diff-view.tsx'
import { Chevron } from '../../ui/chevron.tsx'
import { FilePath } from '../../ui/file-path.tsx'

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
  return (
    <section className="min-w-0 overflow-hidden rounded-md border border-line" data-file={file.path}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-2 bg-subtle px-3 py-1 text-left text-xs row-hover focus-visible:-outline-offset-2"
      >
        <Chevron open={open} />
        <FilePath path={file.path} />
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
