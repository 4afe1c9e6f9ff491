import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExecStream } from './demux.ts'

const packet = (type: number, text: Buffer): Buffer => {
  const head = Buffer.alloc(8)
  head[0] = type
  head.writeUInt32BE(text.length, 4)
  return Buffer.concat([head, text])
}

const cutAt = (bytes: Buffer, cuts: number[]): Buffer[] => {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...places, bytes.length].map((end, index) =>
    bytes.subarray(index === 0 ? 0 : places[index - 1], end),
  )
}

class Raw extends Duplex {
  written: Buffer[] = []
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.written.push(chunk)
    done()
  }
}

describe('an attached exec as one stream', () => {
  it('gives stdout whole however the engine cuts its packets, and keeps the words of stderr', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 40 })), { maxLength: 12 }),
        fc.array(fc.nat(600), { maxLength: 8 }),
        async (packets, cuts) => {
          const wire = Buffer.concat(packets.map(([type, text]) => packet(type, Buffer.from(text))))
          const raw = new Raw()
          const stream = new ExecStream(raw)
          for (const piece of cutAt(wire, cuts)) if (piece.length > 0) raw.push(piece)
          raw.push(null)
          const read: Buffer[] = []
          for await (const chunk of stream) read.push(chunk as Buffer)
          const of = (wanted: number) =>
            Buffer.concat(packets.filter(([type]) => type === wanted).map(([, text]) => Buffer.from(text)))
          expect(Buffer.concat(read).equals(of(1))).toBe(true)
          expect(stream.errorText).toBe(of(2).toString('latin1').trim())
        },
      ),
      { numRuns: 60 },
    )
  })

  it('passes writes on and stops reading while nobody reads', async () => {
    const raw = new Raw()
    const stream = new ExecStream(raw)
    await new Promise<void>((resolve) => stream.write('in', () => resolve()))
    expect(Buffer.concat(raw.written).toString()).toBe('in')
    for (let sent = 0; sent < 40; sent += 1) raw.push(packet(1, Buffer.alloc(16_384)))
    await expect.poll(() => raw.isPaused()).toBe(true)
    expect(stream.readableLength).toBeLessThan(600_000)
    stream.destroy()
    await expect.poll(() => raw.destroyed).toBe(true)
  })
})
