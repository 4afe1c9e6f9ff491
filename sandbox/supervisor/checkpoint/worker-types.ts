// What crosses between the supervisor and its checkpoint thread.
import type { SupervisorError } from '../protocol.ts'

export type WorkerCall =
  | { type: 'look' }
  | { type: 'make'; base: string | null; since: string | null | undefined; ignored: string[]; began: number }
  | { type: 'restore'; to: string; ignored: string[] }
  | { type: 'diff'; from: string; to: string; path: string | null }
  | { type: 'unified'; from: string; to: string; path: string | null; context: number }
  | { type: 'file'; tree: string; path: string }
  | { type: 'take-pack'; bytes: Uint8Array }
export type WorkerRequest = WorkerCall & { id: number }

export type WorkerAnswer = { id: number; value: unknown } | { id: number; failure: SupervisorError }
