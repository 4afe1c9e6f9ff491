import { describe, expect, it } from 'vitest'
import { madeRollout, memoryStore } from '../../../../test/setup/memory-rollout.ts'
import { createExporter } from './export.ts'

const words = { title: 'Long', requests: ['hello'], answers: ['ok'], outputs: ['fine'], note: '' }

/** A store in which the reading of blobs stands still after so many, until it is let go on. */
const heldStore = (after: number) => {
  const rollout = madeRollout({ ...words, raw: new Uint8Array() })
  for (let n = 0; n < 50; n += 1)
    rollout.blobs.set(n.toString(16).padStart(64, '0'), Buffer.from(`text ${n}\n`))
  const goOn = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const store = memoryStore(rollout)
  const of = store.blobs.of
  let reads = 0
  store.blobs.of = (threadId) => {
    const blobs = of(threadId)
    return {
      ...blobs,
      read: async function* (hash, range) {
        reads += 1
        if (reads >= after) {
          reached.resolve()
          await goOn.promise
        }
        yield* blobs.read(hash, range)
      },
    }
  }
  return { rollout, store, reads: () => reads, reached: reached.promise, goOn: goOn.resolve }
}

/** Until nothing that could still go on does. */
const settled = async (reads: () => number): Promise<number> => {
  for (let last = -1; last !== reads(); ) {
    last = reads()
    for (let turn = 0; turn < 50; turn += 1) await new Promise((done) => setImmediate(done))
  }
  return reads()
}

describe('an export that nobody waits for any more', () => {
  it('ends the look of a preview at once, and reads no further', async () => {
    const { rollout, store, reads, reached, goOn } = heldStore(3)
    const exporter = createExporter(store)
    const gone = new AbortController()
    const preview = exporter.preview(rollout.threadId, 'secrets', gone.signal)
    await reached
    gone.abort()
    await expect(preview).rejects.toBe(gone.signal.reason)
    goOn()
    expect(await settled(reads)).toBe(3)
    expect(await exporter.preview(rollout.threadId, 'secrets')).toMatchObject({ places: 0 })
    expect(reads()).toBeGreaterThan(50)
    await expect(exporter.preview(rollout.threadId, 'secrets', gone.signal)).rejects.toThrow()
  })

  it('goes on as long as one of those who asked waits', async () => {
    const { rollout, store, reads, reached, goOn } = heldStore(3)
    const exporter = createExporter(store)
    const gone = new AbortController()
    const one = exporter.preview(rollout.threadId, 'secrets', gone.signal)
    await reached
    const open = { format: 'baton', redaction: 'secrets', confirm: null } as const
    const two = exporter.open({ threadId: rollout.threadId, ...open })
    const three = exporter.preview(rollout.threadId, 'secrets', new AbortController().signal)
    await settled(reads)
    gone.abort()
    await expect(one).rejects.toThrow()
    goOn()
    expect(await three).toMatchObject({ places: 0 })
    expect((await two).redacted).toMatchObject({ level: 'secrets' })
    expect(reads()).toBe(rollout.blobs.size)
  })

  it('ends the second reading, and the file that is being written', async () => {
    const { rollout, store, reads, reached, goOn } = heldStore(rollout0 + 5)
    rollout.title = 'key AKIAIOSFODNN7EXAMPLQ'
    const exporter = createExporter(store)
    const gone = new AbortController()
    await exporter.preview(rollout.threadId, 'secrets')
    expect(reads()).toBe(rollout0)
    const open = { format: 'baton', redaction: 'secrets', confirm: null } as const
    const opened = exporter.open({ threadId: rollout.threadId, ...open, signal: gone.signal })
    await reached
    gone.abort()
    goOn()
    await expect(opened).rejects.toThrow()
    expect(await settled(reads)).toBe(rollout0 + 5)
    const later = new AbortController()
    const file = await exporter.open({ threadId: rollout.threadId, ...open, signal: later.signal })
    const chunks = file.chunks[Symbol.asyncIterator]()
    await chunks.next()
    later.abort()
    await expect(
      (async () => {
        for (let next = await chunks.next(); !next.done; next = await chunks.next());
      })(),
    ).rejects.toThrow()
  })
})

/** Blobs of the rollout above. */
const rollout0 = heldStore(1).rollout.blobs.size
