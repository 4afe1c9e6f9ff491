/**
 * What would leave with an export, and its address. The file itself is downloaded by the browser, not by the page.
 */
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Fault } from '../protocol/error.ts'
import type { ExportFormat, ExportPreview, ExportRedaction } from '../protocol/export.ts'
import { api, type Inputs } from './api.ts'

export type ExportChoice = { threadId: string; format: ExportFormat; redaction: ExportRedaction }

/** Asked as a subscription: a dialog that closes stops the looking. */
const preview = (of: Inputs['export']['preview'], signal: AbortSignal): Promise<ExportPreview> =>
  new Promise((resolve, reject) => {
    const asked = api.export.preview.subscribe(of, {
      onData: resolve,
      onError: reject,
      onComplete: () => reject(new Error('The look through the rollout ended early.')),
    })
    signal.addEventListener('abort', () => asked.unsubscribe(), { once: true })
  })

/** Without redaction the preview is that of the secrets which would go out. */
export const useExportPreview = (
  threadId: string,
  redaction: ExportRedaction,
): UseQueryResult<ExportPreview> =>
  useQuery({
    queryKey: ['export', threadId, redaction === 'personal' ? 'personal' : 'secrets'],
    // A rollout may have gone on since it was looked through.
    staleTime: 0,
    refetchOnMount: 'always',
    queryFn: ({ signal }) => preview({ threadId, redaction }, signal),
  })

export const exportAddress = (choice: ExportChoice, confirm: string | null): string => {
  const query = new URLSearchParams({ format: choice.format, redact: choice.redaction })
  if (confirm !== null) query.set('confirm', confirm)
  return `/t/${choice.threadId}/export?${query}`
}

/**
 * Asks whether the file may be had, then has the browser download it. Fault `conflict` when more was found since the
 * preview, or whatever the door says.
 */
export const download = async (choice: ExportChoice, confirm: string | null): Promise<void> => {
  const address = exportAddress(choice, confirm)
  const answer = await fetch(address, { method: 'HEAD' })
  if (answer.status === 409)
    throw new Fault('conflict', 'The rollout went on since it was looked through.', 'Look again.')
  if (!answer.ok)
    throw new Fault('internal', `The server answered ${answer.status}.`, 'Try again in a moment.')
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
