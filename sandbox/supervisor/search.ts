// GET /search: ripgrep as a read-only command, its JSON lines cut to a bounded answer.
import type { Commands } from './commands.ts'
import { badInput, Failure, notFound } from './failure.ts'
import { statOrNull } from './files.ts'
import { CONTAINER, SEARCH_LINE_MAX_CHARS, type SearchMatch, type SearchResult } from './protocol.ts'
import { quoted } from './shell-words.ts'

const LIMIT_MAX = 5_000
const TIMEOUT_MAX_MS = 60_000
/** A line of ripgrep's that is longer than this is a match in a file without line ends; it is skipped. */
const LINE_MAX_BYTES = 32 * 1024 * 1024

export interface SearchQuery {
  query: string
  path?: string
  globs: string[]
  literal: boolean
  ignoreCase: boolean
  hidden: boolean
  context: number
  limit: number
  timeoutMs: number
}

type RgText = { text: string } | { bytes: string }
type RgLine = {
  type: string
  data: {
    path: RgText
    lines: RgText
    line_number: number | null
    submatches: { start: number; end: number }[]
  }
}

const bytesOf = (value: RgText): Buffer =>
  'text' in value ? Buffer.from(value.text) : Buffer.from(value.bytes, 'base64')

const matchOf = ({ type, data }: RgLine): SearchMatch => {
  const line = bytesOf(data.lines)
  // Offsets are bytes; only the shown part is turned into characters. 4 bytes a character at most.
  const shown = line.subarray(0, SEARCH_LINE_MAX_CHARS * 4)
  const text = shown
    .toString('utf8')
    .replace(/\r?\n$/, '')
    .slice(0, SEARCH_LINE_MAX_CHARS)
  const units = (offset: number): number =>
    Math.min(text.length, shown.subarray(0, offset).toString('utf8').length)
  return {
    path: bytesOf(data.path).toString('utf8'),
    line: data.line_number ?? 0,
    text,
    spans: (data.submatches ?? []).slice(0, 100).map(({ start, end }) => [units(start), units(end)]),
    context: type === 'context',
  }
}

const argvOf = (query: SearchQuery, path: string): string[] => [
  ...['rg', '--json', '--no-config', '--sort=path', `--context=${query.context}`],
  ...(query.literal ? ['--fixed-strings'] : []),
  ...(query.ignoreCase ? ['--ignore-case'] : []),
  ...(query.hidden ? ['--hidden', '--glob=!.git'] : []),
  ...query.globs.map((glob) => `--glob=${glob}`),
  ...['--', query.query, path],
]

/** @throws Failure `not_found`, `not_a_file`, `bad_input` with ripgrep's words for a pattern it does not take */
export const search = async (commands: Commands, query: SearchQuery): Promise<SearchResult> => {
  const path = query.path ?? CONTAINER.workspace
  const stat = statOrNull(path)
  if (!stat) throw notFound(`There is nothing at ${path}.`)
  if (stat.kind === 'other')
    throw new Failure('not_a_file', `${path} is neither file nor folder.`, 'Search in a folder or a file.')
  const limit = Math.min(query.limit, LIMIT_MAX)
  const command = commands.startHidden({
    script: `exec ${argvOf(query, path).map(quoted).join(' ')} 2>&1`,
    mode: 'read-only',
    timeoutMs: Math.min(query.timeoutMs, TIMEOUT_MAX_MS),
  })
  await command.started
  const matches: SearchMatch[] = []
  const complaints: string[] = []
  let truncated = false
  let rest: Buffer[] = []
  let from = 0
  const line = (bytes: Buffer): void => {
    if (matches.length >= limit || bytes.length === 0) {
      truncated ||= bytes.length > 0 && /^\{"type":"match"/.test(bytes.toString('latin1', 0, 16))
      return
    }
    try {
      const told: RgLine = JSON.parse(bytes.toString('utf8'))
      if (told.type === 'match' || told.type === 'context') matches.push(matchOf(told))
    } catch {
      if (complaints.length < 5) complaints.push(bytes.toString('utf8', 0, 500))
    }
  }
  const drain = (): void => {
    for (let part = command.spool.read(from); part; part = command.spool.read(from)) {
      if (part.type === 'gap') {
        from += part.missing
        rest = []
        truncated = true
        continue
      }
      from += part.bytes.length
      let begin = 0
      for (let end = part.bytes.indexOf(10); end >= 0; end = part.bytes.indexOf(10, begin)) {
        rest.push(part.bytes.subarray(begin, end))
        line(rest.length === 1 && rest[0] ? rest[0] : Buffer.concat(rest))
        rest = []
        begin = end + 1
      }
      if (begin < part.bytes.length) rest.push(part.bytes.subarray(begin))
      if (rest.reduce((sum, piece) => sum + piece.length, 0) > LINE_MAX_BYTES) rest = []
    }
  }
  await new Promise<void>((resolve) => {
    let ending = false
    const change = (): void => {
      drain()
      if (truncated && !ending && !command.end) {
        ending = true
        void command.signal('KILL')
      }
      if (!command.end) return
      stop()
      resolve()
    }
    const stop = command.watch(change)
    change()
  })
  const { end } = command
  command.spool.close()
  if (matches.length === 0 && end?.exitCode === 2) throw badInput(complaints.join('\n') || 'ripgrep failed.')
  return { matches, truncated: truncated || end?.timedOut === true, timedOut: end?.timedOut === true }
}
