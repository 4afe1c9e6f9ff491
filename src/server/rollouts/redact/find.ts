/**
 * Finds secrets in a text as it stands, in time that grows with its length alone: literals first, then one expression
 * at the places that they mark. Knows no encoding and no rollout.
 */
import { findAssigned } from './assigned.ts'
import { discordToken, type SecretFormat, secretFormats } from './formats.ts'
import { findPrivateKeys } from './private-keys.ts'

/** UTF-16 units of the text, `end` exclusive. */
export type Found = { start: number; end: number; kind: string }

const escaped = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

const marks = [...new Set(secretFormats.flatMap((format) => format.marks))].sort(
  (a, b) => b.length - a.length || (a < b ? -1 : 1),
)
const markAt = new RegExp(marks.map(escaped).join('|'), 'g')
/** A longer mark stands for the shorter ones that it begins with. */
const ofMark = new Map(
  marks.map((mark) => [
    mark,
    secretFormats.filter((format) => format.marks.some((own) => mark.startsWith(own))),
  ]),
)

const wordEnd = /[A-Za-z0-9]/
const aloneEnd = /[A-Za-z0-9_-]/

const tryAt = (text: string, at: number, format: SecretFormat): Found | null => {
  let start = at
  if (format.back) {
    const { of, most } = format.back
    while (start > 0 && at - start < most && of.test(text.charAt(start - 1))) start -= 1
  } else if (!format.anywhere && at > 0) {
    if ((format.alone ? aloneEnd : wordEnd).test(text.charAt(at - 1))) return null
  }
  format.at.lastIndex = start
  const found = format.at.exec(text)
  if (!found) return null
  const end = start + found[0].length
  const secret = format.group === undefined ? undefined : found[format.group]
  return {
    start: secret === undefined ? start : start + found[0].lastIndexOf(secret),
    end: secret === undefined ? end : start + found[0].lastIndexOf(secret) + secret.length,
    kind: format.kind,
  }
}

const findMarked = (text: string): Found[] => {
  const found: Found[] = []
  markAt.lastIndex = 0
  for (let mark = markAt.exec(text); mark; mark = markAt.exec(text)) {
    let hit: Found | null = null
    for (const format of ofMark.get(mark[0]) ?? []) {
      hit = tryAt(text, mark.index, format)
      if (hit) break
    }
    if (hit) found.push(hit)
    markAt.lastIndex = Math.max(mark.index + 1, hit?.end ?? 0)
  }
  return found
}

const findDiscord = (text: string): Found[] =>
  Array.from(text.matchAll(discordToken), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    kind: 'discord-token',
  }))

/** In order of place, none within or over another: of two that overlap, both are one under the kind of the first. */
export const merged = (found: Found[]): Found[] => {
  const inOrder = [...found].sort((a, b) => a.start - b.start || b.end - a.end)
  const kept: Found[] = []
  for (const next of inOrder) {
    const last = kept.at(-1)
    if (last && next.start < last.end) last.end = Math.max(last.end, next.end)
    else kept.push({ ...next })
  }
  return kept
}

/** Every secret of the text; empty for texts that are too short to hold one. */
export const findPlain = (text: string): Found[] => {
  if (text.length < 8) return []
  return merged([...findPrivateKeys(text), ...findMarked(text), ...findDiscord(text), ...findAssigned(text)])
}
