/** Sends a file of rollouts, which the server reads as it comes, and asks meanwhile how far it is. */
import { type ErrorFact, ErrorFact as ErrorFactSchema } from '../protocol/error.ts'
import { ImportState } from '../protocol/import.ts'
import { api } from './api.ts'

export type Sent = { sent: number; total: number }

const askMs = 500

const cutOff: ErrorFact = {
  code: 'internal',
  message: 'The upload was cut off.',
  next: 'Check the connection and import the file again.',
}

/** The state as the server tells it now; null while it knows none of this id. */
const stateOf = (importId: string): Promise<ImportState | null> =>
  api.import.state.query({ importId }).catch(() => null)

export type ImportEnd = { state: ImportState | null; error: ErrorFact | null }

/** Resolves when the file is read, or could not be. */
export function importFile(
  { projectId, importId, file }: { projectId: string; importId: string; file: File },
  onSent: (sent: Sent) => void,
  onState: (state: ImportState) => void,
  signal: AbortSignal,
): Promise<ImportEnd> {
  const asking = setInterval(() => {
    void stateOf(importId).then((state) => {
      if (state !== null && state.status === 'running') onState(state)
    })
  }, askMs)
  const end = new Promise<ImportEnd>((resolve) => {
    const failed = async (error: ErrorFact): Promise<void> => {
      const state = await stateOf(importId)
      // The answer may be lost on its way while the file was read to its end.
      if (state?.status === 'done') resolve({ state, error: null })
      else resolve({ state, error: state?.error ?? error })
    }
    // Only this older interface tells how much was sent.
    const request = new XMLHttpRequest()
    request.open(
      'POST',
      `/api/imports?${new URLSearchParams({ project: projectId, id: importId, name: file.name })}`,
    )
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onSent({ sent: loaded, total })
    request.onload = () => {
      const body: unknown = request.response
      const state = ImportState.safeParse(body)
      if (request.status === 200 && state.success) return resolve({ state: state.data, error: null })
      const fact = ErrorFactSchema.safeParse((body as { error?: unknown } | null)?.error)
      void failed(fact.success ? fact.data : cutOff)
    }
    request.onerror = () => void failed(cutOff)
    request.onabort = () =>
      void failed({
        ...cutOff,
        message: 'The import was stopped.',
        next: 'Import the file again when you want it.',
      })
    signal.addEventListener('abort', () => {
      void api.import.cancel.mutate({ importId }).catch(() => undefined)
      request.abort()
    })
    request.send(file)
  })
  return end.finally(() => clearInterval(asking))
}
