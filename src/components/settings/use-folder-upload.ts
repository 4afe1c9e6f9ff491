'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { kept, uploadFolder } from '../../client/folder-upload.ts'
import { keys } from '../../client/query.ts'
import { useTranslations } from '../../i18n/translations.ts'
import type { ErrorFact } from '../../protocol/error.ts'
import { uploadLimits } from '../../protocol/upload.ts'
import type { Picked } from './folder-picker.tsx'

export type UploadState = { sent: number; total: number } | null

/** Sends a picked folder and tells how far it is; leaving the page stops it. */
export function useFolderUpload() {
  const t = useTranslations('projects')
  const queries = useQueryClient()
  const [progress, setProgress] = useState<UploadState>(null)
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])

  /** Words when the folder cannot be sent at all. */
  const check = (picked: Picked): string | null => {
    const { files, bytes } = kept(picked.folder, picked.skip)
    if (files.length === 0) return t('nothingLeft')
    if (files.length > uploadLimits.files) return t('tooManyFiles', { count: uploadLimits.files })
    // Each file has a header and is padded to whole blocks.
    return bytes + files.length * 1_024 > uploadLimits.bytes ? t('tooLarge') : null
  }

  const send = async (projectId: string, picked: Picked): Promise<ErrorFact | null> => {
    const abort = new AbortController()
    stop.current = abort
    setProgress({ sent: 0, total: 0 })
    const { files } = kept(picked.folder, picked.skip)
    const fact = await uploadFolder(
      projectId,
      files,
      (sent, total) => setProgress({ sent, total }),
      abort.signal,
    )
    setProgress(null)
    await queries.invalidateQueries({ queryKey: keys.projects })
    return fact
  }

  return { progress, check, send, cancel: () => stop.current?.abort() }
}
