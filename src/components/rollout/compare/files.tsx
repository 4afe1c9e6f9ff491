'use client'
import { useTranslations } from '../../../i18n/translations.ts'
import type { ComparedFile, RolloutComparison } from '../../../protocol/compare.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Shown } from '../../ui/shown.tsx'

type FilesProps = { files: RolloutComparison['files']; open: boolean; onOpenChange: (open: boolean) => void }

/** Files that either changed, with what each did to them. */
export function Files({ files, open, onOpenChange }: FilesProps) {
  const t = useTranslations('compare.files')
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('title')} wide>
      <table className="w-full text-[13px]">
        <thead>
          <tr className="text-xs text-faint">
            <th className="py-1 text-left font-medium">{t('path')}</th>
            <th className="w-28 text-right font-medium">A</th>
            <th className="w-28 text-right font-medium">B</th>
          </tr>
        </thead>
        <tbody>
          {files.files.map((file) => (
            <tr key={file.path} className="border-t border-line/60">
              <td className="py-1 font-mono text-xs wrap-anywhere">
                <Shown text={file.path} />
              </td>
              <Lines change={file.a} />
              <Lines change={file.b} />
            </tr>
          ))}
        </tbody>
      </table>
      {files.total > files.files.length && (
        <p className="pt-2 text-xs text-wait">{t('cut', { count: files.total - files.files.length })}</p>
      )}
    </Dialog>
  )
}

function Lines({ change }: { change: ComparedFile['a'] }) {
  const t = useTranslations('compare.files')
  if (change === null) return <td className="text-right text-xs text-faint">{t('untouched')}</td>
  return (
    <td className="text-right text-xs tabular">
      <span className="text-good">+{change.additions}</span>{' '}
      <span className="text-bad">−{change.deletions}</span>
    </td>
  )
}
