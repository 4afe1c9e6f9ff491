import { describe, expect, it } from 'vitest'
import { giveBackSpent } from '../../../lib/spent-memory.ts'
import { patiently } from './upload.ts'

const chunk = 1_048_576
const stopped = (): Error => new Error('stopped')

async function* many(chunks: number): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < chunks; n += 1) {
    await new Promise((done) => setImmediate(done))
    yield new Uint8Array(chunk)
  }
}

describe('an upload', () => {
  it('is passed on chunk by chunk, and none is held once it was taken', async () => {
    const before = process.memoryUsage().arrayBuffers
    let came = 0
    let most = 0
    for await (const bytes of patiently(many(128), new AbortController().signal, stopped)) {
      came += bytes.byteLength
      if (came % (32 * chunk) !== 0) continue
      giveBackSpent(0)
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    expect(came).toBe(128 * chunk)
    expect(most).toBeLessThan(64 * chunk)
  })

  it('ends when it is stopped, before or while it waits, and passes on what fails', async () => {
    const never: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
    }
    const controller = new AbortController()
    const waiting = patiently(never, controller.signal, stopped).next()
    controller.abort()
    await expect(waiting).rejects.toThrow('stopped')
    await expect(patiently(never, controller.signal, stopped).next()).rejects.toThrow('stopped')
    const broken: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('aborted')) }),
    }
    await expect(patiently(broken, new AbortController().signal, stopped).next()).rejects.toThrow('aborted')
  })
})
