import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { extract } from 'tar-stream'
import { expect, test } from 'vitest'
import { type FolderFile, folderTar } from './folder-tar.ts'

const read = async (files: FolderFile[]) => {
  const found: { name: string; text: string; mode: number | undefined }[] = []
  const archive = Readable.from(Buffer.from(await (await folderTar(files)).arrayBuffer())).pipe(extract())
  for await (const entry of archive)
    found.push({
      name: entry.header.name,
      mode: entry.header.mode,
      text: (await buffer(entry)).toString('utf8'),
    })
  return found
}

const entry = (path: string, text: string): FolderFile => ({
  path,
  file: new File([text], path.split('/').at(-1) ?? '', { lastModified: 1_700_000_000_000 }),
})

test('an ordinary reader finds every file, its text and whether it may be run', async () => {
  const files = [
    entry('a.txt', 'one'),
    entry('empty', ''),
    entry('bin/run', '#!/bin/sh\necho hi\n'),
    entry('block.bin', 'x'.repeat(512)),
    entry('src/über/Ω.md', 'wörds'),
  ]
  expect(await read(files)).toEqual([
    { name: 'a.txt', text: 'one', mode: 0o644 },
    { name: 'empty', text: '', mode: 0o644 },
    { name: 'bin/run', text: '#!/bin/sh\necho hi\n', mode: 0o755 },
    { name: 'block.bin', text: 'x'.repeat(512), mode: 0o644 },
    { name: 'src/über/Ω.md', text: 'wörds', mode: 0o644 },
  ])
})

test('names of every length around the limits of the format survive', async () => {
  const files = [95, 99, 100, 101, 155, 256, 980, 990, 991, 992, 993, 1_000].map((length) =>
    entry(`d/${'n'.repeat(length - 2)}`, String(length)),
  )
  expect((await read(files)).map(({ name, text }) => [name.length, text])).toEqual(
    files.map(({ path }) => [path.length, String(path.length)]),
  )
})

test('no file at all is an empty archive', async () => {
  expect(await read([])).toEqual([])
})
