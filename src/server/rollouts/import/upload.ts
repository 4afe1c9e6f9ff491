/**
 * The bytes of a file while they come in: who stops the reading is not kept waiting by who sends, and a file that hardly
 * comes does not keep a place that others wait for.
 */
import { Fault } from '../../../protocol/error.ts'

export type UploadLimits = {
  /** Time that is spent on waiting for bytes until so many came. */
  patienceMs: number
  /** Bytes that must come within it: what a poor line gives in a few seconds. */
  leastBytes: number
}

export const uploadLimits: UploadLimits = { patienceMs: 60_000, leastBytes: 65_536 }

const tooSlow = (): Fault =>
  new Fault(
    'import_rejected',
    'The file hardly came in, and others wait for their turn.',
    'Import it again on a better line, or compress it before.',
  )

/**
 * The chunks of `source`. Ends with `stopped()` as soon as the signal aborts, and with Fault `import_rejected` when too
 * little came. Time that the reader itself takes is not counted. Whoever sends is told to stop by the caller.
 */
export async function* patiently(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  stopped: () => Error,
  { patienceMs, leastBytes }: UploadLimits = uploadLimits,
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  // Not a race with a promise that lives as long as the upload: that one would hold every chunk that ever came.
  let refuse: (error: Error) => void = () => undefined
  const onAbort = (): void => refuse(stopped())
  signal.addEventListener('abort', onAbort, { once: true })
  let waitedMs = 0
  let came = 0
  let isOver = false
  try {
    for (;;) {
      if (signal.aborted) throw stopped()
      const since = performance.now()
      let timer: NodeJS.Timeout | undefined
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        refuse = reject
        timer = setTimeout(() => reject(tooSlow()), Math.max(0, patienceMs - waitedMs))
        chunks.next().then(resolve, reject)
      }).finally(() => clearTimeout(timer))
      if (next.done) {
        isOver = true
        return
      }
      waitedMs += performance.now() - since
      came += next.value.byteLength
      if (came >= leastBytes) {
        came = 0
        waitedMs = 0
      }
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // A source that is waiting for bytes would answer only when they come.
    if (!isOver) void chunks.return?.()?.catch(() => undefined)
  }
}
