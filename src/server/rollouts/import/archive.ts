/** An Inspect archive: its header, then its samples, one entry after the other. */
import { Fault } from '../../../protocol/error.ts'
import { type ImportFormat, importLimits } from '../../../protocol/import.ts'
import { inspect } from './formats/inspect.ts'
import { type ReadPorts, readEntryAsDocument } from './read.ts'
import type { FileRecord, ReaderContext } from './types.ts'
import { asObject, parsed } from './values.ts'
import { readEntry, type Zip, type ZipEntry } from './zip.ts'

const headers = ['header.json', '_journal/start.json']
const headerBytes = 32 * 1_024 ** 2
/** Bytes of all entries together, unpacked. */
const totalBytes = 8 * 1_024 ** 3

const isSample = ({ name }: ZipEntry): boolean => /^samples\/[^/]+\.json$/.test(name)
const isKnown = ({ name }: ZipEntry): boolean =>
  headers.includes(name) || /^(?:_journal\/|summaries\.json$|reductions\.json$|samples\/$)/.test(name)

const wholeEntry = async (zip: Zip, entry: ZipEntry, maxBytes: number): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  for await (const part of readEntry(zip, entry, maxBytes)) parts.push(part)
  return Buffer.concat(parts)
}

export const readInspectArchive = async (
  zip: Zip,
  context: ReaderContext,
  ports: ReadPorts,
  onFormat: (format: ImportFormat) => void,
): Promise<void> => {
  const { report } = context
  const header = headers.flatMap((name) => zip.entries.find((entry) => entry.name === name) ?? [])[0]
  const samples = zip.entries.filter(isSample)
  if (header === undefined && samples.length === 0)
    throw new Fault(
      'import_rejected',
      'The archive is no rollout: of archives, only logs of Inspect (.eval) can be imported.',
      'Unpack it and import the rollout in it.',
    )
  onFormat('inspect')
  const reader = inspect.read(context)
  const told = (entry: ZipEntry, error: unknown): void => {
    if (!(error instanceof Fault)) throw error
    report.problem(0, `${nameOf(entry)}: ${error.message}`)
  }
  for (const entry of zip.entries) {
    if (entry.isUnsafe)
      report.problem(0, `${nameOf(entry)}: the name leaves the archive; nothing is written under it`)
    else if (!isSample(entry) && !isKnown(entry)) {
      report.unknown('entry')
      report.problem(0, `${nameOf(entry)}: not part of a log, not read`)
    }
  }
  if (header !== undefined) {
    try {
      const raw = await wholeEntry(zip, header, headerBytes)
      const value = asObject(parsed(raw.toString('utf8'))).eval
      const record: FileRecord = { line: 0, path: ['eval'], value, raw }
      reader.take(record)
    } catch (error) {
      told(header, error)
    }
  }
  let unpacked = 0
  for (const [at, entry] of samples.entries()) {
    report.value.lines += 1
    try {
      const bytes = await wholeEntry(zip, entry, inspect.maxBytes ?? importLimits.lineBytes)
      unpacked += bytes.length
      if (unpacked > totalBytes)
        throw new Fault(
          'too_large',
          `The archive unpacks to more than ${totalBytes.toLocaleString('en')} bytes.`,
          'Import a smaller one.',
        )
      readEntryAsDocument(bytes, ['samples', at], reader, report, nameOf(entry))
    } catch (error) {
      if (error instanceof Fault && error.code === 'too_large') throw error
      told(entry, error)
    }
    await ports.written()
  }
  reader.end()
  await ports.written()
}

const nameOf = ({ name }: ZipEntry): string => JSON.stringify(name.slice(0, 200).toWellFormed())
