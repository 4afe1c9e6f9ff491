'use client'
import { ChevronRight } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useMemo, useState } from 'react'
import type { ChangedFile } from '../../../client/changes.ts'
import { useUi } from '../../../client/ui-store.ts'
import { formatCount } from '../../../lib/format.ts'
import { DiffView } from '../../thread/diff-view.tsx'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Boundary } from '../body/boundary.tsx'
import { TextView } from '../body/text-view.tsx'

/** Lines of a diff that are shown at first, and with colours at most; a longer one is shown as text, in parts. */
const firstLines = 400
const mostLines = 4_000

type Props = {
  file: Pick<ChangedFile, 'path' | 'change' | 'additions' | 'deletions' | 'binary' | 'diff'>
  numbers?: boolean
  openAtFirst?: boolean
}

/** One file's difference; a very long one is cut, and one that cannot be drawn is shown as it is written. */
export function Diff({ file, numbers = true, openAtFirst = true }: Props) {
  const t = useTranslations('rollout.changed')
  const style = useUi((ui) => ui.diffStyle)
  const [open, setOpen] = useState(openAtFirst)
  const [shown, setShown] = useState(firstLines)
  const lines = useMemo(() => countLines(file.diff), [file.diff])
  const long = lines > shown
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
          <span className="truncate text-faint">{file.path.slice(0, slash)}</span>
          <span className="shrink-0">{file.path.slice(slash)}</span>
        </code>
        <span className="text-good tabular">+{file.additions}</span>
        <span className="text-bad tabular">−{file.deletions}</span>
      </button>
      {open &&
        (file.binary ? (
          <p className="border-t border-line px-3 py-2 text-xs text-faint">{t('binary')}</p>
        ) : (
          <div className="border-t border-line">
            <Boundary key={shown} fallback={() => <TextView text={file.diff} />}>
              {lines > mostLines && shown > mostLines ? (
                <div className="p-2">
                  <TextView text={file.diff} />
                </div>
              ) : (
                <DiffView
                  diff={long ? cutDiff(file.diff, shown) : file.diff}
                  numbers={numbers}
                  style={style}
                />
              )}
            </Boundary>
            {long && (
              <p className="flex items-center gap-2 border-t border-line px-3 py-1 text-xs text-faint tabular">
                <Button small look="quiet" className="-ml-2" onClick={() => setShown(shown * 4)}>
                  {t('more')}
                </Button>
                {t('lines', { shown: formatCount(shown), lines: formatCount(lines) })}
              </p>
            )}
          </div>
        ))}
    </section>
  )
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

/** The first lines of a diff, with the counts of the hunk that is cut set right, so that it still is a diff. */
function cutDiff(diff: string, most: number): string {
  const lines = diff.split('\n', most)
  const at = lines.findLastIndex((line) => line.startsWith('@@'))
  const head = lines[at]?.match(/^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/)
  if (!head) return lines.join('\n')
  const body = lines.slice(at + 1)
  const removed = body.filter((line) => !line.startsWith('+') && !line.startsWith('\\')).length
  const added = body.filter((line) => !line.startsWith('-') && !line.startsWith('\\')).length
  lines[at] = `@@ -${head[1]},${removed} +${head[2]},${added} @@`
  return `${lines.join('\n')}\n`
}
