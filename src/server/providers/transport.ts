// Watches a response body: reports its bytes as they come, keeps what came before a break, and ends the request when
// nothing comes for too long.
import { cutStream, ProviderFailure, providerError } from './errors.ts'
import type { StreamHooks } from './types.ts'

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>

/** What is read ahead of a slow reader before the connection is made to wait. */
const AHEAD_BYTES = 8 * 1024 * 1024

/** No vendor's answer comes near it; a server that never stops would fill the memory of all threads. */
const ANSWER_BYTES = 128 * 1024 * 1024
const tooLong = () =>
  new ProviderFailure(
    providerError(
      'provider_protocol',
      `the answer is longer than ${ANSWER_BYTES.toLocaleString('en')} bytes`,
    ),
  )

/**
 * The body reads ahead, because a broken connection throws away what a stream still holds. On silence `controller`
 * aborts with a ProviderFailure as its reason.
 */
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
  const queue: Uint8Array<ArrayBuffer>[] = []
  let held = 0
  let total = 0
  let over: { failure: unknown } | null = null
  let arrived = Promise.withResolvers<void>()
  let taken = Promise.withResolvers<void>()

  const readAhead = async () => {
    try {
      for (;;) {
        const { value, done } = await reader.read()
        if (done) break
        timer.refresh()
        total += value.length
        if (total > ANSWER_BYTES) controller.abort(tooLong())
        hooks.onRaw?.(value)
        queue.push(value)
        held += value.length
        arrived.resolve()
        while (held > AHEAD_BYTES) await taken.promise
      }
      over = { failure: null }
    } catch (thrown) {
      over = { failure: controller.signal.aborted ? controller.signal.reason : thrown }
    } finally {
      clearTimeout(timer)
      arrived.resolve()
    }
  }
  void readAhead()

  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(out) {
      while (queue.length === 0 && over === null) {
        await arrived.promise
        arrived = Promise.withResolvers()
      }
      const next = queue.shift()
      if (next !== undefined) {
        held -= next.length
        taken.resolve()
        taken = Promise.withResolvers()
        out.enqueue(next)
      } else if (over?.failure === null) out.close()
      else out.error(over?.failure)
    },
    cancel(reason) {
      clearTimeout(timer)
      held = 0
      taken.resolve()
      return reader.cancel(reason)
    },
  })
}
