// Archives that are bombs, broken or cut: what is whole in them is read, and the rest is told.

import { deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { codex, message, read, said, words } from '../../../../test/setup/import-reading.ts'
import { sha256 } from '../../../lib/sha256.ts'

type Entry = { name: string; data: Buffer; method?: 0 | 8; size?: number }

/** A ZIP archive as programs write it. */
const zip = (entries: Entry[]): Buffer => {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, data, method = 8, size = data.length } of entries) {
    const packed = method === 8 ? deflateRawSync(data) : data
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(method, 8)
    head.writeUInt32LE(packed.length, 18)
    head.writeUInt32LE(size, 22)
    head.writeUInt16LE(name.length, 26)
    const place = Buffer.alloc(46)
    place.writeUInt32LE(0x02014b50, 0)
    place.writeUInt16LE(method, 10)
    place.writeUInt32LE(packed.length, 20)
    place.writeUInt32LE(size, 24)
    place.writeUInt16LE(name.length, 28)
    place.writeUInt32LE(offset, 42)
    parts.push(head, Buffer.from(name), packed)
    directory.push(place, Buffer.from(name))
    offset += 30 + name.length + packed.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, list, end])
}

const header = {
  name: 'header.json',
  data: Buffer.from('{"eval":{"task":"sums","packages":{"inspect_ai":"0.3"}}}'),
}
const sample = (id: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      id,
      epoch: 1,
      messages: [
        { role: 'user', content: `question ${id}` },
        { role: 'assistant', content: `answer ${id}` },
      ],
    }),
  )

describe('archives', () => {
  it('a bomb in gzip ends early, with a clear word', async () => {
    const begin = Buffer.from(codex(message('user', 'one')))
    const bomb = gzipSync(Buffer.concat([begin, Buffer.alloc(300 * 1_048_576, ' ')]))
    await expect(read(bomb)).rejects.toMatchObject({
      code: 'import_rejected',
      message: expect.stringContaining('bomb'),
    })
  })

  it('gzip that ends too early gives what came before', async () => {
    const lines = Array.from({ length: 500 }, (_, n) =>
      message(n % 2 ? 'assistant' : 'user', sha256(String(n))),
    )
    const packed = gzipSync(codex(...lines))
    const made = await read(packed.subarray(0, packed.length / 2))
    expect(made.report.messages.user).toBeGreaterThan(50)
    expect(said(made).some((what) => what.includes('the compressed data ends or breaks here'))).toBe(true)
  })

  it('a sample that unpacks to more than its share, one that is broken, names that leave: the others are there', async () => {
    const entries = [
      header,
      { name: 'samples/1_epoch_1.json', data: sample(1) },
      { name: 'samples/2_epoch_1.json', data: Buffer.alloc(80 * 1_048_576, ' ') },
      { name: 'samples/3_epoch_1.json', data: Buffer.from('{"id":3,') },
      { name: '../../etc/passwd', data: Buffer.from('root') },
      { name: 'samples/4_epoch_1.json', data: sample(4), method: 0 as const },
    ]
    const made = await read(zip(entries))
    expect(words(made)).toEqual(['question 1', 'answer 1', 'question 4', 'answer 4'])
    expect(made.report).toMatchObject({ format: 'inspect', rollouts: 2, program: 'Inspect 0.3' })
    expect(said(made)).toEqual([
      '0: "../../etc/passwd": the name leaves the archive; nothing is written under it',
      '0: "samples/2_epoch_1.json": It unpacks to more than 67,108,864 bytes.',
      '1: this is not JSON',
      '1: this was in "samples/3_epoch_1.json"',
    ])
  })

  it('of something else, and one that is cut, are refused', async () => {
    await expect(read(zip([{ name: 'readme.txt', data: Buffer.from('hello') }]))).rejects.toMatchObject({
      message: expect.stringContaining('only logs of Inspect'),
    })
    await expect(
      read(zip([header, { name: 'samples/1_epoch_1.json', data: sample(1) }]).subarray(0, 150)),
    ).rejects.toMatchObject({ code: 'import_rejected' })
  })

  it('more samples than one file may give are counted', async () => {
    const samples = Array.from({ length: 103 }, (_, n) => ({
      name: `samples/${n}_epoch_1.json`,
      data: sample(n),
    }))
    const made = await read(zip([header, ...samples]))
    expect(made.report.rollouts).toBe(100)
    expect(said(made)).toEqual(['0: 3 more samples were not imported: one file gives at most 100'])
  })
})
