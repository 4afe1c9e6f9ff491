/**
 * The supervisor's output frames: bytes in, frames out, however the stream was cut. What arrives is untrusted: a frame
 * of another type or of an absurd length is a Fault.
 */
import { FRAME, FRAME_HEADER_BYTES } from '../../../sandbox/supervisor/protocol.ts'
import { Fault } from '../../protocol/error.ts'

export type Frame = { type: number; offset: number; payload: Buffer }

/** Far above what the supervisor sends in one frame. */
const maxPayloadBytes = 16 * 1024 * 1024

const broken = (why: string): Fault =>
  new Fault(
    'sandbox_unavailable',
    `The sandbox sent a broken stream: ${why}.`,
    'Try again, or start a fresh sandbox.',
  )

export class FrameReader {
  private pending: Buffer = Buffer.alloc(0)

  /** The frames that are complete with this chunk. Large payloads are views of the chunk: no copy. */
  push(chunk: Buffer): Frame[] {
    let rest = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk])
    const frames: Frame[] = []
    while (rest.length >= FRAME_HEADER_BYTES) {
      const type = rest[0] ?? -1
      const offset = Number(rest.readBigUInt64BE(1))
      const length = rest.readUInt32BE(9)
      if (type < FRAME.started || type > FRAME.end) throw broken(`frame type ${type}`)
      if (length > maxPayloadBytes || !Number.isSafeInteger(offset)) throw broken('a frame without measure')
      if (rest.length < FRAME_HEADER_BYTES + length) break
      frames.push({ type, offset, payload: rest.subarray(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + length) })
      rest = rest.subarray(FRAME_HEADER_BYTES + length)
    }
    this.pending = rest
    return frames
  }
}

/** The JSON object in a frame's payload; a Fault when it is none. */
export const frameJson = (frame: Frame): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(frame.payload.toString('utf8'))
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Told below.
  }
  throw broken('a frame that is no JSON')
}
