/** A file as it was sent becomes the file as it is: gzip and Zstandard are unpacked on the way. Knows no format. */
import { Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { Fault } from '../../../protocol/error.ts'

export type Unpacked = { packing: 'none' | 'gzip' | 'zstd'; bytes: AsyncIterable<Uint8Array> }

export type UnpackLimits = {
  inflatedBytes: number
  /** A file that grows beyond `fromBytes` by more than this factor is a bomb, and no transcript. */
  factor: number
  fromBytes: number
}

/** Text that repeats itself packs to a few hundredths; what packs to less than 1/500 was made to hurt. */
export const unpackLimits = (inflatedBytes: number): UnpackLimits => ({
  inflatedBytes,
  factor: 500,
  fromBytes: 256 * 1_024 ** 2,
})

const tooLarge = (bytes: number): Fault =>
  new Fault(
    'import_rejected',
    `The file unpacks to more than ${bytes.toLocaleString('en')} bytes.`,
    'Import a smaller part of it.',
  )
const bomb = (): Fault =>
  new Fault(
    'import_rejected',
    'The file is an archive bomb: it unpacks to hundreds of times its size.',
    'Import the rollout itself.',
  )

/** Fails when what is unpacked outgrows what came in. */
export const checkGrowth = (packed: number, unpacked: number, limits: UnpackLimits): void => {
  if (unpacked > limits.inflatedBytes) throw tooLarge(limits.inflatedBytes)
  if (unpacked > limits.fromBytes && unpacked / Math.max(1, packed) > limits.factor) throw bomb()
}

/** Puts back what was looked at. */
async function* joined(head: Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* head
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/** The first bytes of a source, at least `wanted` unless it ends before, and the whole source again. */
export const peek = async (
  source: AsyncIterable<Uint8Array>,
  wanted: number,
): Promise<{ head: Buffer; isWhole: boolean; source: AsyncIterable<Uint8Array> }> => {
  const chunks = source[Symbol.asyncIterator]()
  const seen: Uint8Array[] = []
  let size = 0
  let isWhole = false
  while (size < wanted) {
    const next = await chunks.next()
    if (next.done) {
      isWhole = true
      break
    }
    seen.push(next.value)
    size += next.value.byteLength
  }
  return { head: Buffer.concat(seen), isWhole, source: joined(seen, chunks) }
}

export const unpack = async (
  source: AsyncIterable<Uint8Array>,
  limits: UnpackLimits,
  onCut: (what: string) => void,
): Promise<Unpacked> => {
  const { head, source: whole } = await peek(source, 4)
  const isGzip = head[0] === 0x1f && head[1] === 0x8b
  const isZstd = head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd
  if (!isGzip && !isZstd) return { packing: 'none', bytes: whole }
  return { packing: isGzip ? 'gzip' : 'zstd', bytes: inflated(whole, isGzip, limits, onCut) }
}

async function* inflated(
  source: AsyncIterable<Uint8Array>,
  isGzip: boolean,
  limits: UnpackLimits,
  onCut: (what: string) => void,
): AsyncGenerator<Uint8Array> {
  let packed = 0
  let unpacked = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      packed += chunk.byteLength
      yield chunk
    }
  }
  const input = Readable.from(counted(), { objectMode: false })
  const inflate = isGzip ? createGunzip() : createZstdDecompress()
  let failure: unknown = null
  input.on('error', (error) => {
    failure = error
    inflate.destroy(error)
  })
  input.pipe(inflate)
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      unpacked += chunk.length
      checkGrowth(packed, unpacked, limits)
      yield chunk
    }
  } catch (error) {
    // The source's own end, and ours, are not the file's fault.
    if (error instanceof Fault || failure !== null) throw failure ?? error
    onCut(error instanceof Error ? error.message : String(error))
  } finally {
    input.destroy()
    inflate.destroy()
  }
}
