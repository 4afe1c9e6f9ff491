/**
 * From a file's bytes to its rollouts: unpacks, finds the format, reads. Hands what the reader makes to `write` in the
 * order of the file. Knows no database and no request.
 */
import { Fault } from '../../../protocol/error.ts'
import { type ActorId, newId } from '../../../protocol/ids.ts'
import { type ImportFormat, type ImportReport, importLimits } from '../../../protocol/import.ts'
import { readInspectArchive } from './archive.ts'
import { detect } from './detect.ts'
import { formats } from './formats/formats.ts'
import type { Held } from './lines.ts'
import { type ReadPorts, readAsDocument, readAsLines } from './read.ts'
import { createReport } from './report.ts'
import { spool } from './spool.ts'
import type { Format, Output, Reader, ReaderContext } from './types.ts'
import { peek, unpack, unpackLimits } from './unpack.ts'
import { openZip } from './zip.ts'

/** Bytes that are looked at to find the format. */
const headBytes = 262_144
/** Bytes of an archive as it is sent: it lies in a temporary file while it is read. */
const archiveBytes = 2 * 1_024 ** 3
/** Outputs, and bytes within them, that wait before they are written. */
const waitingPieces = 400
const waitingBytes = 1_500_000

export type ReadingPorts = {
  importedAt: number
  actorId: ActorId
  /** Writes what was made so far; the list is the caller's from then on. */
  write(outputs: Output[]): Promise<void>
  storeLarge: ReadPorts['storeLarge']
  /** Called once, before anything is written. */
  onFormat?(format: ImportFormat): void
  /** Called as the reading goes on. */
  onReport?(report: ImportReport): void
  held?: Held
  maxLineBytes?: number
  inflatedBytes?: number
  archiveBytes?: number
}

const reasons = {
  empty: 'The file is empty.',
  not_json: 'The file is no rollout: it is neither JSON nor JSON Lines nor an archive of such.',
  not_utf8: 'The file is not encoded as UTF-8.',
  unknown: 'The file is JSON, but none of the rollout formats that Baton knows.',
} as const

const known =
  'Rollouts of Baton, Codex, Claude Code, pi, SWE-agent, OpenHands and Inspect can be imported; pick one of their session files.'

const sizeOf = ({ piece }: Output): number =>
  piece.type === 'blob'
    ? piece.bytes.byteLength
    : piece.type === 'block'
      ? piece.block.wire.byteLength
      : piece.type === 'event'
        ? 600
        : 200

/** Reads all of it; the report says what was found. Fault `import_rejected` for what is no rollout, or is a trap. */
export const readRollouts = async (
  source: AsyncIterable<Uint8Array>,
  fileName: string,
  ports: ReadingPorts,
): Promise<ImportReport> => {
  const report = createReport()
  const out: Output[] = []
  let begun = 0
  const context: ReaderContext = {
    fileName,
    importedAt: ports.importedAt,
    actorId: ports.actorId,
    report,
    out,
    newId,
    mayBegin: () => {
      begun += 1
      return begun <= importLimits.rollouts
    },
  }

  const flush = async (): Promise<void> => {
    if (out.length === 0) return
    const written = out.splice(0, out.length)
    await ports.write(written)
    ports.onReport?.(report.value)
  }
  let weighed = 0
  let weight = 0
  const written = async (): Promise<void> => {
    for (; weighed < out.length; weighed += 1) weight += sizeOf(out[weighed] as Output)
    if (out.length < waitingPieces && weight < waitingBytes) return
    weighed = 0
    weight = 0
    await flush()
  }

  const readPorts: ReadPorts = {
    report,
    written,
    storeLarge: ports.storeLarge,
    ...(ports.held ? { held: ports.held } : {}),
    ...(ports.maxLineBytes === undefined ? {} : { maxBytes: ports.maxLineBytes }),
  }

  const counted = async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      report.value.bytes += chunk.byteLength
      yield chunk
    }
  }

  const unpacked = await unpack(
    source,
    unpackLimits(ports.inflatedBytes ?? importLimits.inflatedBytes),
    (what) =>
      report.problem(
        report.value.lines,
        `the compressed data ends or breaks here (${what}): what came before was read`,
      ),
  )
  const { head, isWhole, source: bytes } = await peek(unpacked.bytes, headBytes)
  const found = detect(head, isWhole, (name) => formats[name].descend !== undefined)
  if (found.type === 'none') throw new Fault('import_rejected', reasons[found.why], known)
  if (found.type === 'zip') {
    await readArchive(bytes, context, ports, readPorts)
    await flush()
    return report.value
  }
  const format = formats[found.format]
  report.value.format = found.format
  ports.onFormat?.(found.format)
  const reader = format.read(context)
  await run(format, reader, counted(bytes), found.isDocument, readPorts)
  await flush()
  return report.value
}

/** An archive of Inspect: needs a file, because its directory stands at its end. */
const readArchive = async (
  bytes: AsyncIterable<Uint8Array>,
  context: ReaderContext,
  ports: ReadingPorts,
  readPorts: ReadPorts,
): Promise<void> => {
  const { report } = context
  const file = await spool(bytes, ports.archiveBytes ?? archiveBytes)
  try {
    report.value.bytes = file.bytes
    const zip = await openZip(file.path)
    try {
      await readInspectArchive(zip, context, readPorts, (format) => {
        report.value.format = format
        ports.onFormat?.(format)
      })
    } finally {
      await zip.close()
    }
  } finally {
    await file.remove()
  }
}

const run = async (
  format: Format,
  reader: Reader,
  bytes: AsyncIterable<Uint8Array>,
  isDocument: boolean,
  ports: ReadPorts,
): Promise<void> => {
  if (isDocument) await readAsDocument(bytes, format, reader, ports)
  else await readAsLines(bytes, reader, ports)
  reader.end()
  await ports.written()
}
