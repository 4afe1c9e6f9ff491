/**
 * Feeds a format's reader with the values of a file, one after the other, and waits for whoever writes what it makes.
 * What cannot be a value is told with its line; nothing here holds more than one line.
 */
import { isUtf8 } from 'node:buffer'
import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { importLimits } from '../../../protocol/import.ts'
import { createDocument, type Part } from './document.ts'
import { type Held, type Line, readLines } from './lines.ts'
import type { Report } from './report.ts'
import type { Format, RawRecord, Reader } from './types.ts'
import { cutDeep, isObject, maxDepth, oddTime } from './values.ts'

export type ReadPorts = {
  report: Report
  /** Called after each value; what the reader made is written when it is much. */
  written(): Promise<void>
  /** Stores a line that is too large and gives the name of its blob. */
  storeLarge(bytes: AsyncIterable<Uint8Array>): Promise<{ hash: string; bytes: number; head: Uint8Array }>
  held?: Held
  maxBytes?: number
}

/** Bytes of values after which other work gets its turn. */
const yieldBytes = 1_048_576

type Feed = (line: number, path: readonly (string | number)[], bytes: Uint8Array, isCut: boolean) => void

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

const feeder =
  (reader: Reader, report: Report): Feed =>
  (line, path, given, isCut) => {
    let raw = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
    if (line === 1 && raw.subarray(0, 3).equals(byteOrderMark)) raw = raw.subarray(3)
    const unreadable = (what: string): void => {
      report.problem(line, what)
      reader.keep({ line, why: 'unreadable', raw, bytes: raw.length })
    }
    if (!isUtf8(raw)) report.problem(line, 'bytes that are no UTF-8 were replaced')
    const text = raw.toString('utf8')
    if (text.trim() === '') return
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      unreadable(isCut ? 'the file ends in the middle of this line' : 'this is not JSON')
      return
    }
    if (typeof value !== 'object' || value === null) {
      unreadable('this is JSON, but no record')
      return
    }
    if (cutDeep(value)) {
      report.problem(
        line,
        `nested deeper than ${maxDepth} levels: what lies deeper is in the raw record only`,
      )
      reader.keep({ line, why: 'unreadable', raw, bytes: raw.length })
    }
    const odd = isObject(value) ? oddTime(value.timestamp) : null
    if (odd !== null) report.problem(line, odd)
    reader.take({ line, path, value, raw })
  }

const pace = (): ((bytes: number) => Promise<void>) => {
  let since = 0
  return async (bytes) => {
    since += bytes
    if (since < yieldBytes) return
    since = 0
    await turnOfLoop()
  }
}

const large = async (line: Extract<Line, { type: 'large' }>, ports: ReadPorts): Promise<RawRecord> => {
  const { hash, bytes, head } = await ports.storeLarge(line.rest)
  ports.report.problem(
    line.line,
    `a line of ${bytes.toLocaleString('en')} bytes is kept as it is: more than ${(ports.maxBytes ?? importLimits.lineBytes).toLocaleString('en')} are not understood`,
  )
  return { line: line.line, why: 'too_large', raw: head, bytes, blob: hash }
}

/** Reads lines; the reader's `end` is left to the caller. */
export const readAsLines = async (
  source: AsyncIterable<Uint8Array>,
  reader: Reader,
  ports: ReadPorts,
): Promise<void> => {
  const { report } = ports
  const feed = feeder(reader, report)
  const rest = pace()
  for await (const line of readLines(source, ports.maxBytes ?? importLimits.lineBytes, ports.held)) {
    report.value.lines = line.line
    if (line.type === 'large') reader.keep(await large(line, ports))
    else {
      feed(line.line, [], line.bytes, !line.ended)
      await rest(line.bytes.length)
    }
    await ports.written()
  }
}

/** One value that stands alone, such as an entry of an archive. */
export const readEntryAsDocument = (
  bytes: Uint8Array,
  path: readonly (string | number)[],
  reader: Reader,
  report: Report,
  name: string,
): void => {
  const before = report.value.problemsTotal
  feeder(reader, report)(1, path, bytes, false)
  if (report.value.problemsTotal > before) report.problem(1, `this was in ${name}`)
}

/** Formats that are lines may also come as one list, or as values that are spread over lines. */
const inLists: NonNullable<Format['descend']> = (path, kind) => path.length === 0 && kind === 'array'

export const readAsDocument = async (
  source: AsyncIterable<Uint8Array>,
  format: Format,
  reader: Reader,
  ports: ReadPorts,
): Promise<void> => {
  const { report } = ports
  const feed = feeder(reader, report)
  const rest = pace()
  const document = createDocument({
    descend: format.descend ?? inLists,
    maxBytes: ports.maxBytes ?? format.maxBytes ?? importLimits.lineBytes,
  })
  const see = async (part: Part): Promise<void> => {
    switch (part.type) {
      case 'enter':
        reader.enter?.(part.path)
        return
      case 'leave':
        reader.leave?.(part.path)
        return
      case 'value': {
        report.value.lines += 1
        if (isScalar(part.bytes)) reader.scalar?.(part.path, scalarOf(part.bytes))
        else feed(part.line, part.path, part.bytes, false)
        return
      }
      case 'large':
        report.value.lines += 1
        report.problem(
          part.line,
          `a value of ${part.size.toLocaleString('en')} bytes at ${part.path.join('.') || 'the top'} was not understood; its beginning is kept`,
        )
        reader.keep({ line: part.line, why: 'too_large', raw: part.bytes, bytes: part.size })
        return
      case 'broken':
        report.problem(part.line, `${part.what}: nothing after this could be read`)
    }
  }
  for await (const chunk of withoutMark(source)) {
    for (const part of document.push(chunk)) {
      await see(part)
      await ports.written()
    }
    if (ports.held) {
      ports.held.bytes = document.held()
      ports.held.most = Math.max(ports.held.most, ports.held.bytes)
    }
    await rest(chunk.length)
  }
  for (const part of document.end()) await see(part)
  await ports.written()
}

async function* withoutMark(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for await (const chunk of source) {
    const begins = isFirst && Buffer.from(chunk.subarray(0, 3)).equals(byteOrderMark)
    isFirst = false
    yield begins ? chunk.subarray(3) : chunk
  }
}

const isScalar = (bytes: Uint8Array): boolean => bytes[0] !== 123 && bytes[0] !== 91

const scalarOf = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  } catch {
    return null
  }
}
