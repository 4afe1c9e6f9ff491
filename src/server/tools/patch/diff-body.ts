/**
 * The body of one file's diff without the patch envelope, as some providers' patch calls carry it. Unlike a patch it
 * may stack several `@@` anchors, leaves the file's final line end as it was, and a single anchor is only advice.
 */
import { trimEnd } from './lines.ts'
import { finder } from './locate.ts'
import { PatchError } from './types.ts'

type Section = { anchors: string[]; lines: string[]; atEnd: boolean }

const endOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')
const cut = (text: string): string[] => text.split(/\r\n|\n/)

const sectionsOf = (lines: string[]): Section[] => {
  const sections: Section[] = []
  let current: Section | undefined
  for (const line of lines) {
    if (line === '@@' || line.startsWith('@@ ')) {
      // Anchors in a row narrow one place; the first one after lines opens the next.
      if (current === undefined || current.lines.length > 0)
        sections.push((current = { anchors: [], lines: [], atEnd: false }))
      current.anchors.push(line.slice(3))
      continue
    }
    if (current === undefined) sections.push((current = { anchors: [], lines: [], atEnd: false }))
    if (trimEnd(line) === '*** End of File') current.atEnd = true
    else if (line !== '' && !' +-'.includes(line.charAt(0))) throw new PatchError(`Invalid Line: ${line}`)
    else current.lines.push(line)
  }
  return sections
}

const created = (lines: string[], end: string): string => {
  const wrong = lines.find((line) => !line.startsWith('+'))
  if (wrong !== undefined) throw new PatchError(`Invalid Add File Line: ${wrong}`)
  return lines.map((line) => line.slice(1)).join(end)
}

/**
 * @param mode `create` makes the file from `+` lines alone; `default` changes `text`
 * @throws PatchError when lines or stacked anchors are not found, or a line has no prefix
 */
export const applyDiffBody = (text: string, diff: string, mode: 'create' | 'default'): string => {
  const body = cut(diff)
  if (mode === 'create') return created(body, endOf(diff))
  if (body.at(-1) === '') body.pop()
  const lines = cut(text)
  const find = finder(lines)
  const result: string[] = []
  let from = 0
  const keepUntil = (to: number): void => {
    result.push(...lines.slice(from, to))
    from = to
  }
  for (const { anchors, lines: changes, atEnd } of sectionsOf(body)) {
    let at = from
    for (const anchor of anchors) {
      const found = anchor === '' ? null : find([anchor], at, false)
      if (found !== null) at = found + 1
      else if (anchor !== '' && anchors.length > 1) throw new PatchError(`Invalid Anchor: ${anchor}`)
    }
    const old = changes.filter((line) => !line.startsWith('+')).map((line) => line.slice(1))
    const start = find(old, at, atEnd)
    if (start === null) throw new PatchError(`Invalid Context: ${old.join('\n')}`)
    keepUntil(start)
    for (const change of changes) {
      if (change.startsWith('+')) result.push(change.slice(1))
      else if (change.startsWith('-')) from++
      else keepUntil(from + 1)
    }
  }
  keepUntil(lines.length)
  return result.join(endOf(text))
}
