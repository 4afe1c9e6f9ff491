/**
 * Bytes become lines, however they are cut into chunks: at most one line is held, and of one that is too large nothing
 * but what passes. Knows no JSON.
 */
const lineFeed = 10
const carriageReturn = 13

export type Line =
  | { type: 'line'; line: number; bytes: Uint8Array; ended: boolean }
  /** `rest` gives all of its bytes and must be read to its end before the next line. */
  | { type: 'large'; line: number; rest: AsyncIterable<Uint8Array> }

/** What is held in memory, for a test that looks. */
export type Held = { bytes: number; most: number }

const trimmed = (bytes: Buffer): Buffer => (bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes)

/** Lines of a source, without their ends. A last line without an end has `ended` false. Empty lines are counted, not given. */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  held: Held = { bytes: 0, most: 0 },
): AsyncGenerator<Line> {
  const chunks = source[Symbol.asyncIterator]()
  let chunk: Buffer = Buffer.alloc(0)
  let isOver = false
  const more = async (): Promise<void> => {
    const next = await chunks.next()
    if (next.done) isOver = true
    else chunk = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength)
  }
  const hold = (bytes: number): void => {
    held.bytes = bytes
    held.most = Math.max(held.most, bytes)
  }
  try {
    for (let line = 1; ; line += 1) {
      const parts: Buffer[] = []
      let size = 0
      let end = -1
      for (;;) {
        end = chunk.indexOf(lineFeed)
        const piece = end < 0 ? chunk : chunk.subarray(0, end)
        if (piece.length > 0) parts.push(piece)
        size += piece.length
        hold(size)
        if (end >= 0 || size > maxBytes) break
        chunk = Buffer.alloc(0)
        await more()
        if (isOver) break
      }
      if (size > maxBytes) {
        let isRead = false
        async function* rest(): AsyncGenerator<Uint8Array> {
          yield* parts
          parts.length = 0
          while (end < 0) {
            chunk = Buffer.alloc(0)
            await more()
            if (isOver) break
            end = chunk.indexOf(lineFeed)
            const piece = end < 0 ? chunk : chunk.subarray(0, end)
            hold(piece.length)
            if (piece.length > 0) yield piece
          }
          isRead = true
        }
        const reading = rest()
        yield { type: 'large', line, rest: reading }
        if (!isRead) for await (const _ of reading);
      } else {
        const bytes = trimmed(parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts, size))
        if (bytes.length > 0) yield { type: 'line', line, bytes, ended: end >= 0 }
      }
      if (isOver) return
      chunk = chunk.subarray(end + 1)
    }
  } finally {
    await chunks.return?.()
  }
}
