/** What exported documents say of themselves; figures as people read them. */
import { formatBytes, formatCount, formatDuration, formatMoney } from '../../../lib/format.ts'
import type { RedactionFacts } from '../../../protocol/rollout-file.ts'
import type { Part } from './told.ts'

export const dateOf = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

export const cutNote = (shownBytes: number, wholeBytes: number): string =>
  `Cut at ${formatBytes(shownBytes)} of ${formatBytes(wholeBytes)}. All of it is in an export of the format Baton.`

export const redactionNote = (redacted: RedactionFacts | null): string => {
  if (redacted === null) return 'Nothing was cut from this export.'
  const kinds = Object.entries(redacted.kinds).map(([kind, count]) => `${count} × ${kind}`)
  if (kinds.length === 0) return 'Looked through for secrets; none were found.'
  return `Secrets were cut from this export: ${kinds.join(', ')}.`
}

export const stepFigures = ({ number, end }: Extract<Part, { type: 'step' }>): string => {
  const { input, cachedInput, output } = end.usage
  const cached = input > 0 ? ` (${Math.round((cachedInput / input) * 100)} % cached)` : ''
  return [
    `step ${number}`,
    `${input.toLocaleString('en')} in${cached}`,
    `${output.toLocaleString('en')} out`,
    formatDuration(end.totalMs),
    ...(end.costMicros === null ? [] : [formatMoney(end.costMicros)]),
    ...(end.retries > 0 ? [`${end.retries} retries`] : []),
  ].join(' · ')
}

const turnWords = {
  completed: 'Done',
  interrupted: 'Stopped',
  failed: 'Failed',
  limited: 'Stopped at a limit',
} as const
export const turnWord = (status: keyof typeof turnWords): string => turnWords[status]

export const turnFigures = (part: Extract<Part, { type: 'turn_end' }>): string => {
  return [
    `${turnWords[part.status]} after ${formatDuration(part.durationMs)}`,
    `${part.steps} ${part.steps === 1 ? 'step' : 'steps'}`,
    `${formatCount(part.usage.input)} in, ${formatCount(part.usage.output)} out`,
    ...(part.costMicros === null ? [] : [formatMoney(part.costMicros)]),
  ].join(' · ')
}

const reasons: Record<string, string> = {
  first_turn: 'the first turn',
  asked: 'the model asked for a new one',
  budget: 'the one before was full',
  overflow: 'the one before was too long for the model',
  person: 'a person asked for a new one',
  model_changed: 'another model',
  tools_changed: 'other tools',
  thinking_changed: 'another way of thinking',
  results_cut: 'old results were cut',
  middle_cut: 'the middle was cut',
  latest_only: 'only the latest was kept',
  oldest_dropped: 'the oldest was dropped',
}

export const windowWords = ({ number, reason, tokens }: Extract<Part, { type: 'window' }>): string =>
  `Window ${number}: ${reasons[reason] ?? reason} (${formatCount(tokens)} tokens given)`

/** The call in a line: the verb, its object, the outcome. */
export const callLine = (part: Extract<Part, { type: 'call' }>): string => {
  const { detail } = part
  if (detail?.type === 'command') return `$ ${detail.command}`
  if (detail?.type === 'patch') return `edited ${detail.files.map(({ path }) => path).join(', ')}`
  if (detail?.type === 'read') return `read ${detail.path}`
  if (detail?.type === 'list') return `listed ${detail.path}`
  if (detail?.type === 'search') return `searched for ${detail.query}`
  if (detail?.type === 'note') return `wrote the note ${detail.path}`
  return part.tool
}

export const outcome = (part: Extract<Part, { type: 'call' }>): string => {
  const exit = part.detail?.type === 'command' ? part.detail.exitCode : undefined
  return [
    part.status === 'ok' ? '' : part.status,
    typeof exit === 'number' && exit !== 0 ? `exit ${exit}` : '',
    part.durationMs === null ? '' : formatDuration(part.durationMs),
  ]
    .filter((word) => word !== '')
    .join(' · ')
}

export const pictureNote = (picture: { name: string; mediaType: string; bytes: number }): string =>
  `${picture.name || 'picture'} (${picture.mediaType}, ${formatBytes(picture.bytes)})`
