import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type MemoryRollout,
  madeRollout,
  memoryStore,
  type RolloutWords,
  readMemory,
  wholeText,
} from '../../../../test/setup/memory-rollout.ts'
import { sha256 } from '../../../lib/sha256.ts'
import type { ExportRedaction } from '../../../protocol/export.ts'
import { RolloutFileLine, withheldHash } from '../../../protocol/rollout-file.ts'
import { canaries } from '../redact/canaries.ts'
import { createExporter } from './export.ts'

const write = async (rollout: MemoryRollout, redaction: ExportRedaction = 'none'): Promise<string> => {
  const exporter = createExporter(memoryStore(rollout))
  const { digest } = await exporter.preview(rollout.threadId, redaction)
  const request = { threadId: rollout.threadId, format: 'baton', redaction, confirm: digest } as const
  return wholeText((await exporter.open(request)).chunks)
}

const linesOf = (file: string): RolloutFileLine[] =>
  file
    .trimEnd()
    .split('\n')
    .map((line) => RolloutFileLine.parse(JSON.parse(line)))

const anyText = fc.oneof(
  fc.string({ maxLength: 60, unit: 'binary' }),
  fc.string({ minLength: 1, maxLength: 30 }).map((text) => `${text}\u2028"\\`.repeat(400)),
)
const anyWords: fc.Arbitrary<RolloutWords> = fc.record({
  title: fc.string({ maxLength: 40 }),
  requests: fc.array(anyText, { minLength: 1, maxLength: 4 }),
  answers: fc.array(anyText, { minLength: 1, maxLength: 3 }),
  outputs: fc.array(anyText, { minLength: 1, maxLength: 3 }),
  note: fc.string({ maxLength: 50 }),
  raw: fc.uint8Array({ maxLength: 5_000 }),
})

describe('our own file', () => {
  it('is the same bytes after it was read in and written out again', async () => {
    await fc.assert(
      fc.asyncProperty(anyWords, async (words) => {
        const rollout = madeRollout(words)
        const first = await write(rollout)
        const copy = readMemory(first)
        expect(copy.threadId).not.toBe(rollout.threadId)
        expect(copy.events[1]?.windowId).not.toBe(rollout.events[1]?.windowId)
        expect(await write(copy)).toBe(first)
        expect(await write(readMemory(await write(copy)))).toBe(first)
      }),
      { numRuns: 40 },
    )
  })

  it('has every record in order, lines below a megabyte, and a last line that shows a cut file', async () => {
    const raw = Buffer.alloc(2_000_001, 7)
    const rollout = madeRollout({
      title: 'A',
      requests: ['one', 'two'],
      answers: ['yes'],
      outputs: ['z'.repeat(20_000)],
      note: 'n',
      raw,
    })
    const file = await write(rollout)
    const lines = linesOf(file)
    const order = lines.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])
    const perWindow = ['window', 'block', 'step']
    expect(order).toEqual(['header', 'event', ...perWindow, ...perWindow, 'note', 'blob', 'end'])
    expect(Math.max(...file.split('\n').map((line) => line.length))).toBeLessThan(1_000_000)
    const pieces = lines.flatMap((line) => (line.type === 'blob' && line.hash === sha256(raw) ? [line] : []))
    expect(pieces.map(({ part, parts }) => [part, parts])).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ])
    const [header, end] = [lines[0], lines.at(-1)]
    if (header?.type !== 'header' || end?.type !== 'end') throw new Error('no header or end')
    expect(header).toMatchObject({ lossless: true, redacted: null })
    expect(header.counts).toMatchObject({ events: rollout.events.length, windows: 2, steps: 2, notes: 2 })
    expect(header.counts.blobs).toBe(rollout.blobs.size)
    const before = file.slice(0, file.trimEnd().lastIndexOf('\n') + 1)
    expect(end).toEqual({ type: 'end', lines: lines.length - 1, sha256: sha256(before) })
  })

  it('holds no secret once they are cut, wherever they stood, and says so', async () => {
    for (const seed of [1, 2]) {
      const all = canaries(seed)
      const text = all.map((canary) => `${canary.name}: ${canary.text}`).join('\n')
      const stream = (text.match(/[\s\S]{1,9}/g) ?? [])
        .map((delta) => `data: ${JSON.stringify({ type: 'x.delta', delta })}\n\n`)
        .join('')
      const rollout = madeRollout({
        title: `Use ${all[0]?.secret}`,
        requests: [text, `short ${all[4]?.text}`],
        answers: [`${'a long answer. '.repeat(140)}${text}`],
        outputs: [`${text}\n${'x'.repeat(30_000)}`, Buffer.from(text).toString('base64')],
        note: text,
        raw: Buffer.from(stream),
      })
      rollout.blobs.set(sha256('PACK\0'), Buffer.from('PACK\0'))
      const file = await write(rollout, 'secrets')
      const lines = linesOf(file)
      const header = lines[0]
      if (header?.type !== 'header') throw new Error('no header')
      expect(header.lossless).toBe(false)
      expect(header.redacted?.blobsLeftOut).toBe(1)
      expect(Object.keys(header.redacted?.kinds ?? {}).length).toBeGreaterThan(60)

      const copy = readMemory(file)
      const texts = [file, ...[...copy.blobs.values()].map((bytes) => Buffer.from(bytes).toString('utf8'))]
      const pieces = [...copy.blobs.values()].map((bytes) =>
        [
          ...Buffer.from(bytes)
            .toString('utf8')
            .matchAll(/^data: (.*)$/gm),
        ]
          .map(([, json]) => (JSON.parse(json ?? '{}') as { delta?: string }).delta ?? '')
          .join(''),
      )
      for (const { name, secret } of all)
        for (const line of secret.split('\n').filter((part) => !part.startsWith('-----')))
          for (const out of [...texts, ...pieces]) expect(out.includes(line), name).toBe(false)

      // What is named is there, under the hash of what it says now; nothing tells a hash of what it said.
      for (const [hash, bytes] of copy.blobs) expect(sha256(bytes)).toBe(hash)
      for (const window of copy.windows) {
        for (const block of window.blocks) {
          if (block.wire) expect(sha256(block.wire)).toBe(block.wireHash)
          else expect(copy.blobs.has(block.wireHash)).toBe(true)
          const json = Buffer.from(block.wire ?? copy.blobs.get(block.wireHash) ?? '').toString()
          expect(() => JSON.parse(json.slice(json.indexOf('\n') + 1))).not.toThrow()
        }
        for (const step of window.steps) expect(step.bodySha256).toBe(withheldHash)
      }
      expect(file).not.toContain(sha256(text))
      expect(await write(rollout, 'secrets')).toBe(file)
    }
  })

  it('asks before secrets go out, and tells what was found without telling it', async () => {
    const secret = canaries()[5]?.secret ?? ''
    const rollout = madeRollout({
      title: 'A',
      requests: [`use ${secret} please`],
      answers: ['ok'],
      outputs: ['fine'],
      note: '',
      raw: new Uint8Array(),
    })
    const exporter = createExporter(memoryStore(rollout))
    const request = { threadId: rollout.threadId, format: 'baton', redaction: 'none' } as const
    await expect(exporter.open({ ...request, confirm: null })).rejects.toMatchObject({ code: 'conflict' })
    await expect(exporter.open({ ...request, confirm: 'f'.repeat(64) })).rejects.toThrow('secrets')
    const preview = await exporter.preview(rollout.threadId, 'none')
    expect(preview).toMatchObject({ level: 'secrets', distinct: 1 })
    const [kind] = preview.kinds
    expect(kind?.kind).toBe('anthropic-key')
    expect(kind?.samples[0]).toMatchObject({ before: 'use ', after: ' please', chars: secret.length })
    expect(kind?.samples[0]?.place).toMatchObject({ type: 'event', seq: 4 })
    expect(JSON.stringify(preview)).not.toContain(secret.slice(0, 20))
    const file = await exporter.open({ ...request, confirm: preview.digest })
    expect(await wholeText(file.chunks)).toContain(secret)
  })

  it('is the same file when there was nothing to cut', async () => {
    const rollout = madeRollout({
      title: 'Nothing here',
      requests: ['hello'],
      answers: ['ok'],
      outputs: ['fine'],
      note: 'plan',
      raw: Buffer.from('data: {}\n\n'),
    })
    const [plain, cut] = [await write(rollout), await write(rollout, 'personal')]
    expect(linesOf(cut)[0]).toMatchObject({ lossless: true, redacted: { level: 'personal', kinds: {} } })
    expect(cut.split('\n').slice(1, -2)).toEqual(plain.split('\n').slice(1, -2))
  })
})
