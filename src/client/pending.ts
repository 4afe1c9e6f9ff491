/**
 * Messages that were sent but not yet acknowledged, kept over a reload, so that a closed tab loses none: the same client
 * id is sent again, which the server takes for the same op.
 */
import { z } from 'zod'
import { ErrorFact } from '../protocol/error.ts'
import { OpId } from '../protocol/ids.ts'
import { Op } from '../protocol/op.ts'

const PendingOp = z.object({
  clientId: OpId,
  op: Op,
  /** `failed`: the server was not heard; `refused`: it said no, for good, to this client id. */
  status: z.enum(['sending', 'accepted', 'failed', 'refused']),
  at: z.number(),
  error: ErrorFact.nullable(),
})
export type PendingOp = z.infer<typeof PendingOp>

const key = (threadId: string): string => `baton.pending.${threadId}`

export function readPending(threadId: string): PendingOp[] {
  try {
    return z.array(PendingOp).parse(JSON.parse(localStorage.getItem(key(threadId)) ?? '[]'))
  } catch {
    return []
  }
}

function write(threadId: string, ops: PendingOp[]): void {
  try {
    if (ops.length === 0) localStorage.removeItem(key(threadId))
    else localStorage.setItem(key(threadId), JSON.stringify(ops))
  } catch {
    // Without storage a message lives as long as the tab.
  }
}

export const rememberPending = (threadId: string, op: PendingOp): void =>
  write(threadId, [...readPending(threadId).filter((other) => other.clientId !== op.clientId), op])

export const forgetPending = (threadId: string, clientId: string): void => {
  const ops = readPending(threadId)
  if (ops.some((op) => op.clientId === clientId))
    write(
      threadId,
      ops.filter((op) => op.clientId !== clientId),
    )
}
