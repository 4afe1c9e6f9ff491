/** The first and the last bytes of an output of any length; what falls between is counted and let go. */

/** Half of a megabyte each for the start and the end of one call's output. */
const partBytes = 524_288

export type OutputBuffer = {
  add(bytes: Uint8Array): void
  /** Counts bytes that were gone before they could be read. */
  skip(bytes: number): void
  /** `tail` is empty and `missing` 0 while everything fits. */
  parts(): { head: Uint8Array; tail: Uint8Array; missing: number }
}

export const outputBuffer = (limit = partBytes): OutputBuffer => {
  const head: Uint8Array[] = []
  let headBytes = 0
  let tail: Uint8Array[] = []
  let tailBytes = 0
  let missing = 0

  const trimTail = (): void => {
    const joined = Buffer.concat(tail)
    const kept = joined.subarray(Math.max(joined.length - limit, 0))
    missing += joined.length - kept.length
    tail = [Uint8Array.from(kept)]
    tailBytes = kept.length
  }

  return {
    add(bytes) {
      const room = missing === 0 && tailBytes === 0 ? limit - headBytes : 0
      const first = bytes.subarray(0, Math.max(room, 0))
      if (first.length > 0) {
        head.push(Uint8Array.from(first))
        headBytes += first.length
      }
      const rest = bytes.subarray(first.length)
      if (rest.length === 0) return
      tail.push(Uint8Array.from(rest))
      tailBytes += rest.length
      // Joined seldom: each byte is copied a bounded number of times.
      if (tailBytes > 2 * limit) trimTail()
    },
    skip(bytes) {
      if (bytes <= 0) return
      missing += bytes
      // What was collected for the end lies before the gap now.
      for (const piece of tail) missing += piece.length
      tail = []
      tailBytes = 0
    },
    parts() {
      if (tailBytes > limit) trimTail()
      const start = Buffer.concat(head)
      const end = Buffer.concat(tail)
      return missing === 0
        ? { head: Buffer.concat([start, end]), tail: new Uint8Array(), missing: 0 }
        : { head: start, tail: end, missing }
    },
  }
}
