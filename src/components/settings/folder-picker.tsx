'use client'
import { FolderUp } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { droppedFolder, type Folder, kept, pickedFolder, type Skip } from '../../client/folder-upload.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { formatBytes } from '../../lib/format.ts'
import { uploadLimits } from '../../protocol/upload.ts'
import { cn } from '../ui/cn.ts'
import { Shown } from '../ui/shown.tsx'

export type Picked = { folder: Folder; skip: Skip }

type PickerProps = {
  picked: Picked | null
  onPick: (picked: Picked | null) => void
  error: string | undefined
}

/** Takes a folder by the browser's chooser or by dropping, and says what of it will be sent. */
export function FolderPicker({ picked, onPick, error }: PickerProps) {
  const t = useTranslations('projects')
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const [reading, setReading] = useState(false)
  const [noFolder, setNoFolder] = useState(false)
  const skip = picked?.skip ?? { nodeModules: true, git: false }

  // React has no property for choosing folders.
  useEffect(() => input.current?.setAttribute('webkitdirectory', ''), [])

  const take = (folder: Folder | null): void => {
    setReading(false)
    setNoFolder(folder === null)
    if (folder !== null) onPick({ folder, skip })
  }

  const summary = picked && kept(picked.folder, picked.skip)
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1 text-xs font-medium text-soft">{t('folder')}</legend>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button inside is the first. */}
      <div
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          setReading(true)
          droppedFolder(event.dataTransfer.items).then(take, () => take(null))
        }}
        className={cn(
          'flex flex-wrap items-center gap-3 rounded-lg border border-dashed border-line-strong px-3 py-3',
          over && 'border-brand bg-brand-soft',
        )}
      >
        <FolderUp aria-hidden className="size-5 shrink-0 text-soft" />
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm">
            {reading ? t('reading') : picked ? <Shown text={picked.folder.name} /> : t('dropHere')}
          </p>
          <p className="text-xs text-faint" role="status">
            {summary
              ? t('summary', { files: summary.files.length, size: formatBytes(summary.bytes) }) +
                (summary.skipped > 0 ? ` · ${t('skipped', { files: summary.skipped })}` : '')
              : t('limit', { size: `${uploadLimits.bytes / 1_048_576} MB`, files: uploadLimits.files })}
          </p>
        </div>
        <label className="inline-flex h-8 shrink-0 cursor-pointer items-center rounded-md border border-line bg-raised px-3 text-sm font-medium row-hover has-focus-visible:outline-2 has-focus-visible:outline-brand">
          {t('choose')}
          <input
            ref={input}
            type="file"
            multiple
            className="sr-only"
            aria-label={t('chooseLabel')}
            onChange={(event) => {
              const { files } = event.target
              // Nothing chosen = the chooser was closed.
              if (files && files.length > 0) take(pickedFolder(files))
            }}
          />
        </label>
      </div>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {(['nodeModules', 'git'] as const).map((name) => (
          <label key={name} className="inline-flex items-center gap-1.5 text-sm">
            <input
              type="checkbox"
              checked={skip[name]}
              disabled={!picked}
              onChange={(event) =>
                picked && onPick({ ...picked, skip: { ...skip, [name]: event.target.checked } })
              }
              className="accent-(--brand)"
            />
            {t(`skip.${name}`)}
          </label>
        ))}
      </div>
      {(error !== undefined || noFolder) && (
        <p role="alert" className="text-xs text-bad">
          {noFolder ? t('noFolder') : error}
        </p>
      )}
    </fieldset>
  )
}
