// A file read as an import reads it, without a database; and the lines of a Codex session to make one of.
import { sha256 } from '../../src/lib/sha256.ts'
import type { ThreadEvent } from '../../src/protocol/event.ts'
import type { ImportReport } from '../../src/protocol/import.ts'
import type { Item } from '../../src/protocol/item.ts'
import { type ReadingPorts, readRollouts } from '../../src/server/rollouts/import/reading.ts'
import type { Output } from '../../src/server/rollouts/import/types.ts'

export type Read = {
  report: ImportReport
  outputs: Output[]
  large: { bytes: number }[]
  held: { bytes: number; most: number }
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

export const read = async (
  given: string | Uint8Array | AsyncIterable<Uint8Array>,
  more: Partial<ReadingPorts> & { chunk?: number } = {},
): Promise<Read> => {
  const outputs: Output[] = []
  const large: { bytes: number }[] = []
  const held = { bytes: 0, most: 0 }
  const { chunk = 65_536, ...ports } = more
  const source =
    typeof given === 'string'
      ? pieces(Buffer.from(given), chunk)
      : given instanceof Uint8Array
        ? pieces(given, chunk)
        : given
  const report = await readRollouts(source, 'a.jsonl', {
    importedAt: 1_800_000_000_000,
    actorId: 'system',
    held,
    write: async (made) => {
      outputs.push(...made)
    },
    storeLarge: async (bytes) => {
      let size = 0
      for await (const part of bytes) size += part.byteLength
      large.push({ bytes: size })
      return { hash: sha256('large'), bytes: size, head: Buffer.from('{"head') }
    },
    ...ports,
  })
  return { report, outputs, large, held }
}

export const events = ({ outputs }: Read): ThreadEvent[] =>
  outputs.flatMap(({ piece }) => (piece.type === 'event' ? [piece.event as ThreadEvent] : []))
export const items = (made: Read): Item[] =>
  events(made).flatMap((event) => (event.type === 'item.completed' ? [event.body.item] : []))
export const records = (made: Read) =>
  events(made).flatMap((event) => (event.type === 'record.kept' ? [event.body] : []))
export const words = (made: Read): string[] =>
  items(made).flatMap((item) =>
    item.type === 'user_message'
      ? item.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      : item.type === 'agent_message'
        ? [item.text.text]
        : [],
  )
export const said = ({ report }: Read): string[] =>
  report.problems.map(({ line, what }) => `${line}: ${what}`)

const meta =
  '{"timestamp":"2026-01-01T10:00:00Z","type":"session_meta","payload":{"id":"a","originator":"codex_cli","cli_version":"1"}}'
export const message = (role: string, text: string, at = '2026-01-01T10:00:01Z'): string =>
  JSON.stringify({
    timestamp: at,
    type: 'response_item',
    payload: {
      type: 'message',
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
    },
  })
export const call = (id: string): string =>
  JSON.stringify({
    type: 'response_item',
    payload: { type: 'function_call', name: 'exec_command', arguments: '{}', call_id: id },
  })
export const output = (id: string, text = 'ok'): string =>
  JSON.stringify({
    type: 'response_item',
    payload: { type: 'function_call_output', call_id: id, output: text },
  })
export const codex = (...lines: string[]): string => [meta, ...lines].map((line) => `${line}\n`).join('')
