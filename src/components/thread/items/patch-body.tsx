'use client'
import { useState } from 'react'
import { patchFiles } from '../../../client/patch-diff.ts'
import { useLive } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatCount } from '../../../lib/format.ts'
import type { ToolCall } from '../../../protocol/item.ts'
import { Button } from '../../ui/button.tsx'
import { Shown } from '../../ui/shown.tsx'
import { DiffView } from '../diff-view.tsx'
import { useBlobText } from '../long-text.tsx'
import { TextBody } from './text-body.tsx'

/** The patch as diffs, one per file; a patch that did not apply shows why above them. */
export function PatchBody({ item }: { item: ToolCall }) {
  const t = useTranslations('tools')
  const live = useLive(item.id, 'arguments')
  const [wanted, setWanted] = useState(false)
  const blob = useBlobText(wanted ? item.arguments.blob : undefined)
  const text = item.state.status === 'proposed' ? (live?.text ?? '') : (blob.text ?? item.arguments.text)
  const files = patchFiles(text)
  const cut = item.arguments.blob !== undefined && blob.text === undefined
  if (files.length === 0) return <TextBody item={item} />
  return (
    <div className="space-y-2">
      {item.state.status === 'failed' && (
        <p className="text-xs text-bad">
          <Shown text={item.state.error.message} />
        </p>
      )}
      {files.map((file) => (
        <section key={file.path} className="overflow-hidden rounded-md border border-line">
          <header className="flex items-center gap-2 border-b border-line bg-subtle px-3 py-1 text-xs">
            <code className="min-w-0 flex-1 truncate">
              <Shown text={file.path} />
            </code>
            <span className="text-good tabular">+{file.additions}</span>
            <span className="text-bad tabular">−{file.deletions}</span>
          </header>
          <DiffView diff={file.diff} numbers={false} />
        </section>
      ))}
      {cut && (
        <Button small look="quiet" onClick={() => setWanted(true)}>
          {t('wholePatch', { chars: formatCount(item.arguments.chars ?? 0) })}
        </Button>
      )}
    </div>
  )
}
