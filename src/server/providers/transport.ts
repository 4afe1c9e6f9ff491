// Watches a response body: reports its bytes as they come and ends the request when none come for too long.
import { cutStream, ProviderFailure } from './errors.ts'
import type { StreamHooks } from './types.ts'

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>

/** On silence `controller` aborts with a ProviderFailure as its reason, and the body errors with it. */
export function watchedBody(
  body: Bytes,
  controller: AbortController,
  idleTimeoutMs: number,
  hooks: StreamHooks,
): Bytes {
  const reader = body.getReader()
  const seconds = Math.round(idleTimeoutMs / 1000)
  const timer = setTimeout(
    () => controller.abort(new ProviderFailure(cutStream(`nothing came for ${seconds} seconds`))),
    idleTimeoutMs,
  )
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(out) {
      try {
        const { value, done } = await reader.read()
        if (done) {
          clearTimeout(timer)
          out.close()
          return
        }
        timer.refresh()
        hooks.onRaw?.(value)
        out.enqueue(value)
      } catch (thrown) {
        clearTimeout(timer)
        out.error(controller.signal.aborted ? controller.signal.reason : thrown)
      }
    },
    cancel(reason) {
      clearTimeout(timer)
      return reader.cancel(reason)
    },
  })
}
