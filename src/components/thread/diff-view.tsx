'use client'
import { parsePatchFiles } from '@pierre/diffs'
import { FileDiff } from '@pierre/diffs/react'
import { type CSSProperties, useMemo, useState } from 'react'
import { useUi } from '../../client/ui-store.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { formatCount } from '../../lib/format.ts'
import { visible } from '../../lib/visible.ts'
import { Boundary } from '../rollout/body/boundary.tsx'
import { TextView } from '../rollout/body/text-view.tsx'
import { Button } from '../ui/button.tsx'

type DiffViewProps = {
  /** A unified diff of one or more files. */
  diff: string
  /** Hides the line numbers, where they are made up. */
  numbers?: boolean
  style?: 'unified' | 'split'
}

export const diffFrame = {
  '--diffs-font-family': 'var(--font-mono)',
  '--diffs-font-size': '12.5px',
  '--diffs-line-height': '19px',
  '--diffs-font-features': '"calt" 0, "liga" 0',
} as CSSProperties

/** The diff's ground is the page's, whatever the syntax theme says. */
export const diffGround = `
  :host, pre, [data-diff], [data-file] {
    --diffs-bg: var(--bg);
    --diffs-bg-separator-override: var(--subtle);
  }
`

/** Lines that are shown at first, and with colours at most; a longer diff is shown as text, in parts. */
const firstLines = 400
const mostLines = 4_000
const mostChars = 300_000
const tooLongLine = /[^\n]{10000}/

/** Diffs with word-level marks and syntax colours; a very long one in parts, one that cannot be drawn as it is written. */
export function DiffView({ diff, numbers = true, style = 'unified' }: DiffViewProps) {
  const t = useTranslations('diff')
  const [shown, setShown] = useState(firstLines)
  const told = useMemo(() => visible(diff), [diff])
  const lines = useMemo(() => countLines(told), [told])
  if (told.trim() === '') return <p className="px-3 py-2 text-xs text-faint">{t('empty')}</p>
  const text = (
    <div className="p-2">
      <TextView text={told} />
    </div>
  )
  if (shown > mostLines || told.length > mostChars || tooLongLine.test(told)) return text
  return (
    <Boundary key={shown} fallback={() => text}>
      <Drawn diff={lines > shown ? cutDiff(told, shown) : told} numbers={numbers} style={style} />
      {lines > shown && (
        <p className="flex items-center gap-2 border-t border-line px-3 py-1 text-xs text-faint tabular">
          <Button small look="quiet" className="-ml-2" onClick={() => setShown(shown * 4)}>
            {t('more')}
          </Button>
          {t('lines', { shown: formatCount(shown), lines: formatCount(lines) })}
        </p>
      )}
    </Boundary>
  )
}

function Drawn({ diff, numbers, style }: Required<DiffViewProps>) {
  const theme = useUi((ui) => ui.theme)
  const files = useMemo(() => {
    try {
      return parsePatchFiles(diff).flatMap((patch) => patch.files)
    } catch {
      return []
    }
  }, [diff])
  if (files.length === 0)
    return (
      <div className="p-2">
        <TextView text={diff} />
      </div>
    )
  return (
    <div className="overflow-hidden">
      {files.map((file, at) => (
        <FileDiff
          // biome-ignore lint/suspicious/noArrayIndexKey: two files of a patch may have one name.
          key={`${at}:${file.name}`}
          fileDiff={file}
          style={diffFrame}
          options={{
            theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
            themeType: theme,
            diffStyle: style,
            disableFileHeader: true,
            disableLineNumbers: !numbers,
            hunkSeparators: numbers ? 'line-info' : 'simple',
            overflow: 'wrap',
            lineDiffType: 'word-alt',
            unsafeCSS: diffGround,
          }}
        />
      ))}
    </div>
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
