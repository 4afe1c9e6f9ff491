'use client'
import { MultiFileDiff } from '@pierre/diffs/react'
import { useUi } from '../../../client/ui-store.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import { TextView } from '../../rollout/body/text-view.tsx'
import { diffFrame, diffGround } from '../diff-view.tsx'

type TextDiffProps = { name: string; before: string; after: string }

/** Beyond these, comparing would hold the page up: both are shown as they are. */
const mostChars = 300_000
const tooLongLine = /[^\n]{10000}/

/** What differs between two texts, word by word. */
export function TextDiff({ name, before, after }: TextDiffProps) {
  const t = useTranslations('notes')
  const theme = useUi((ui) => ui.theme)
  if (before === after) return <p className="p-3 text-xs text-soft">{t('same')}</p>
  const [old, now] = [visible(before), visible(after)]
  if (old.length + now.length > mostChars || tooLongLine.test(old) || tooLongLine.test(now))
    return (
      <div className="space-y-2 p-2">
        <p className="text-xs text-faint">{t('tooLong')}</p>
        {old !== '' && <TextView text={old} />}
        <TextView text={now} />
      </div>
    )
  return (
    <MultiFileDiff
      oldFile={{ name, contents: old }}
      newFile={{ name, contents: now }}
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
