'use client'
import { parsePatchFiles } from '@pierre/diffs'
import { FileDiff } from '@pierre/diffs/react'
import { useTranslations } from 'next-intl'
import { type CSSProperties, useMemo } from 'react'
import { useUi } from '../../client/ui-store.ts'

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

/** Diffs with word-level marks and syntax colours. */
export function DiffView({ diff, numbers = true, style = 'unified' }: DiffViewProps) {
  const t = useTranslations('diff')
  const theme = useUi((ui) => ui.theme)
  const files = useMemo(() => {
    try {
      return parsePatchFiles(diff).flatMap((patch) => patch.files)
    } catch {
      return null
    }
  }, [diff])
  if (files === null || files.length === 0)
    return diff.trim() === '' ? (
      <p className="px-3 py-2 text-xs text-faint">{t('empty')}</p>
    ) : (
      <pre className="max-h-96 overflow-auto p-3 text-xs">{diff}</pre>
    )
  return (
    <div className="overflow-hidden">
      {files.map((file) => (
        <FileDiff
          key={file.name}
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
