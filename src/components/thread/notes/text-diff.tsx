'use client'
import { MultiFileDiff } from '@pierre/diffs/react'
import { useTranslations } from 'next-intl'
import { useUi } from '../../../client/ui-store.ts'
import { diffFrame, diffGround } from '../diff-view.tsx'

type TextDiffProps = { name: string; before: string; after: string }

/** What differs between two texts, word by word. */
export function TextDiff({ name, before, after }: TextDiffProps) {
  const t = useTranslations('notes')
  const theme = useUi((ui) => ui.theme)
  if (before === after) return <p className="p-3 text-xs text-soft">{t('same')}</p>
  return (
    <MultiFileDiff
      oldFile={{ name, contents: before }}
      newFile={{ name, contents: after }}
      style={diffFrame}
      options={{
        theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
        themeType: theme,
        diffStyle: 'unified',
        disableFileHeader: true,
        hunkSeparators: 'line-info',
        overflow: 'wrap',
        lineDiffType: 'word-alt',
        unsafeCSS: diffGround,
      }}
    />
  )
}
