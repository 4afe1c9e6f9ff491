/**
 * A rollout as one Markdown file: to read, to paste into a ticket. Bodies stand in fences that they cannot close; no
 * picture and no HTML of the rollout's own is left.
 */
import type { Cut } from './cut.ts'
import { fenced, safeMarkdown } from './markdown-text.ts'
import type { RolloutSource } from './source.ts'
import type { OutText } from './texts.ts'
import { type Limits, type Part, tell } from './told.ts'
import {
  callLine,
  cutNote,
  dateOf,
  outcome,
  pictureNote,
  redactionNote,
  stepFigures,
  turnFigures,
  windowWords,
} from './words.ts'

const limits: Limits = { message: 400_000, output: 60_000, picture: 0 }

/** One line of words in Markdown, as they are. */
const plain = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>#|~!]/g, '\\$&')
    .trim()

/** Characters of a call that stand in the line of its head. */
const headChars = 300

const code = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim().slice(0, headChars)
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([run]) => run.length))
  const ticks = '`'.repeat(longest + 1)
  return line === '' ? '' : `${ticks} ${line} ${ticks}`.replace(/^(`+) ([^`].*[^`]) (`+)$/, '$1$2$3')
}

const note = ({ text, cutFrom }: OutText): string =>
  cutFrom === null ? '' : `\n\n*${cutNote(Buffer.byteLength(text), cutFrom)}*`

/** The command that a call runs, as it was called; null when the call says so in words of its own. */
const commandOf = (args: string): string | null => {
  try {
    const { cmd, command } = (JSON.parse(args) ?? {}) as Record<string, unknown>
    const given = cmd ?? command
    if (Array.isArray(given)) return given.length === 3 ? String(given[2]) : given.join(' ')
    return typeof given === 'string' ? given : null
  } catch {
    return null
  }
}

/** What a call was called with, beyond its head: of a command that has no place there all of it. */
const given = ({ args, detail }: Extract<Part, { type: 'call' }>): string => {
  if (detail?.type !== 'command') return args.text
  const command = commandOf(args.text)
  if (command === null) return args.cutFrom === null && detail.command.length < headChars ? '' : args.text
  return command.includes('\n') || command.length > headChars - 2 ? command : ''
}

const callBlock = (part: Extract<Part, { type: 'call' }>): string => {
  const ended = outcome(part)
  const head = `**${plain(part.tool)}** ${code(callLine(part))}${ended === '' ? '' : ` (${plain(ended)})`}`
  const called = given(part)
  const args = called === '' ? '' : `\n\n${fenced(called)}${note(part.args)}`
  const why = part.why === null ? '' : `\n\n> ${plain(part.why)}`
  const { output } = part
  return `${head}${args}${why}${output === null || output.text === '' ? '' : `\n\n${fenced(output.text)}${note(output)}`}`
}

const marks = { pending: ' ', in_progress: '~', completed: 'x' } as const

const block = (part: Part): string => {
  switch (part.type) {
    case 'turn':
      return `---\n\n## Turn ${part.number}\n\n${plain(part.model)} · ${dateOf(part.at)}`
    case 'turn_end':
      return `*${plain(turnFigures(part))}*${part.why === null ? '' : `\n\n> ${plain(part.why)}`}`
    case 'window':
      return `*${plain(windowWords(part))}*`
    case 'step':
      return `*${plain(stepFigures(part))}*`
    case 'message': {
      const pictures = part.pictures.map((picture) => `\n\n*${plain(pictureNote(picture))}*`).join('')
      const who = part.who === 'person' ? 'Person' : 'Agent'
      return `### ${who}\n\n${safeMarkdown(part.text.text)}${note(part.text)}${pictures}`
    }
    case 'reasoning':
      return `**Reasoning**\n\n${fenced(part.text.text, 'text')}${note(part.text)}`
    case 'call':
      return callBlock(part)
    case 'plan':
      return `**Plan**${part.explanation === '' ? '' : ` ${plain(part.explanation)}`}\n\n${part.entries
        .map(({ text, status }) => `- \\[${marks[status]}\\] ${plain(text)}`)
        .join('\n')}`
    case 'question':
      return part.questions
        .map(({ text, answer }) => `**Question** ${plain(text)}\n\n${plain(answer) || '*no answer*'}`)
        .join('\n\n')
    case 'notice':
      return `> ${part.level}: ${plain(part.text)}`
    case 'record':
      return `*Line ${part.line} of the file it was read from, kept as it is: ${plain(part.kind)}*\n\n${fenced(part.text.text)}${note(part.text)}`
  }
}

export async function* writeMarkdown(source: RolloutSource, cut: Cut): AsyncGenerator<string> {
  const { manifest } = source
  yield `# ${plain(cut.text(manifest.title)) || 'Rollout'}\n\n${dateOf(manifest.createdAt)} · ${manifest.head} events · ${plain(redactionNote(cut.redacted))}\n`
  for await (const part of tell(source, cut, limits)) yield `\n${block(part)}\n`
}
