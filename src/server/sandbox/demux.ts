/**
 * The byte stream of an attached exec without a terminal as one Duplex: reading unpacks the engine's frames (stdout is
 * passed on, the end of stderr is kept for messages), writing goes to stdin. Backpressure holds both ways.
 */
import { Duplex } from 'node:stream'

const headerBytes = 8
const keptErrorBytes = 2_000

export class ExecStream extends Duplex {
  private readonly raw: Duplex
  private header = Buffer.alloc(0)
  private payloadLeft = 0
  private payloadIsOutput = false
  private errorTail = ''

  constructor(raw: Duplex) {
    super({ allowHalfOpen: true, readableHighWaterMark: 256 * 1024, writableHighWaterMark: 256 * 1024 })
    this.raw = raw
    raw.on('data', (chunk: Buffer) => {
      if (!this.unpack(chunk)) raw.pause()
    })
    let ended = false
    raw.on('end', () => {
      ended = true
      this.push(null)
    })
    raw.on('error', (error) => this.destroy(error))
    // After an orderly end what is still unread stays readable.
    raw.on('close', () => (ended ? this.end() : this.destroy()))
  }

  /** The last words on stderr. */
  get errorText(): string {
    return this.errorTail.trim()
  }

  private unpack(chunk: Buffer): boolean {
    let rest = chunk
    let wantsMore = true
    while (rest.length > 0) {
      if (this.payloadLeft === 0) {
        const missing = headerBytes - this.header.length
        this.header = Buffer.concat([this.header, rest.subarray(0, missing)])
        rest = rest.subarray(missing)
        if (this.header.length < headerBytes) break
        this.payloadIsOutput = this.header[0] !== 2
        this.payloadLeft = this.header.readUInt32BE(4)
        this.header = Buffer.alloc(0)
        continue
      }
      const piece = rest.subarray(0, this.payloadLeft)
      rest = rest.subarray(piece.length)
      this.payloadLeft -= piece.length
      if (this.payloadIsOutput) wantsMore = this.push(piece) && wantsMore
      else this.errorTail = (this.errorTail + piece.toString('latin1')).slice(-keptErrorBytes)
    }
    return wantsMore
  }

  override _read(): void {
    this.raw.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    // The callback of the socket's own write comes when the kernel took the bytes: that is the backpressure.
    this.raw.write(chunk, (error) => done(error))
  }

  override _final(done: (error?: Error | null) => void): void {
    this.raw.end(() => done())
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.raw.destroy()
    done(error)
  }
}
