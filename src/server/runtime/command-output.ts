/**
 * Bytes of a command's output by range: from the sandbox while it runs, from the blob afterwards.
 */
import { Fault } from '../../protocol/error.ts'
import type { Sandbox } from '../sandbox/types.ts'
import type { Store } from '../store/types.ts'

export type OutputRange = { bytes: Uint8Array; from: number; total: number; done: boolean }

const collect = async (chunks: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of chunks) {
    pieces.push(piece)
    size += piece.byteLength
    if (size >= limit) break
  }
  return Buffer.concat(pieces).subarray(0, limit)
}

/** At most `limit` bytes from `from` on. Fault `command_lost` for one that neither the log nor its container knows. */
export const readCommandOutput = async (
  store: Pick<Store, 'log' | 'blobs'>,
  sandbox: () => Promise<Sandbox>,
  { threadId, commandId }: { threadId: string; commandId: string },
  { from, limit }: { from: number; limit: number },
): Promise<OutputRange> => {
  const ended = await store.log.commandEnd(threadId, commandId)
  if (ended) {
    if (ended.outputBlob === undefined) return { bytes: new Uint8Array(), from, total: 0, done: true }
    const blobs = store.blobs.of(threadId)
    const total = (await blobs.size(ended.outputBlob)) ?? 0
    const bytes = await collect(blobs.read(ended.outputBlob, { from, limit }), limit)
    return { bytes, from, total, done: true }
  }
  const box = await sandbox()
  const state = (await box.commands()).find((command) => command.commandId === commandId)
  if (!state)
    throw new Fault(
      'command_lost',
      'Nobody knows this command any more.',
      'Reload the page to see how it ended.',
    )
  async function* bytesOf(): AsyncGenerator<Uint8Array> {
    for await (const chunk of box.output(commandId, from, { follow: false })) yield chunk.bytes
  }
  return {
    bytes: await collect(bytesOf(), limit),
    from,
    total: state.bytes,
    done: state.status !== 'running',
  }
}
