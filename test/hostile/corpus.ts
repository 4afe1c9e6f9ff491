// The texts of the hostile corpus with a name each, and bodies that are hostile by their size or shape alone. What runs
// calls `hostileRan(<number>)`, what is fetched goes to a host that ends in `hostile.invalid` and begins with the number:
// whatever happens names its payload.
import { directions, terminal, unseen } from './hidden.ts'
import { addresses, markdown } from './links.ts'
import { drawings, frames, handlers, mutating, scripts, styles } from './markup.ts'
import { keys, lines, names, templates } from './places.ts'

export type Payload = { id: number; name: string; text: string }

/** The function that tells on a payload, and the end of every foreign host. */
export const canary = 'hostileRan'
export const foreignHost = 'hostile.invalid'

const families = {
  scripts,
  handlers,
  mutating,
  drawings,
  frames,
  styles,
  addresses,
  markdown,
  terminal,
  directions,
  unseen,
  templates,
  keys,
  names,
  lines,
}

const filled = (template: string, id: number): string =>
  template
    .replaceAll('§run', `${canary}(${id})`)
    .replaceAll('§host', `p${id}.${foreignHost}`)
    .replaceAll('§id', String(id))

/** Every payload, in an order that does not change. */
export const corpus: Payload[] = Object.entries(families)
  .flatMap(([family, texts]) => texts.map((text, at) => ({ name: `${family} ${at + 1}`, text })))
  .map(({ name, text }, at) => ({ id: at + 1, name, text: filled(text, at + 1) }))

/** The payload of a number, in words for a failure. */
export const tellPayload = (id: number): string => {
  const payload = corpus[id - 1]
  return payload === undefined
    ? `unknown payload ${id}`
    : `${payload.name}: ${JSON.stringify(payload.text.slice(0, 300))}`
}

/** A text within itself, `levels` deep. */
export const nested = (levels: number) => ({
  json: `${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`,
  quotes: `${'>'.repeat(levels)} deep`,
  lists: `${'- '.repeat(levels)}deep`,
  emphasis: `${'*_'.repeat(levels)}deep${'_*'.repeat(levels)}`,
  links: `${'['.repeat(levels)}deep${'](x)'.repeat(levels)}`,
  pictures: `${'!['.repeat(levels)}deep${'](x)'.repeat(levels)}`,
  html: `${'<div>'.repeat(levels)}deep`,
  brackets: '(['.repeat(levels),
})

/** One line of so many megabytes, with no place to break it. */
export const longLine = (megabytes: number): string => `${'x'.repeat(megabytes * 1_000_000 - 4)} end`

/** JSON of `nodes` values: objects of lists, none deeper than four. */
export const wideJson = (nodes: number): string => {
  const row = JSON.stringify({ id: 1, tags: ['a', 'b', 'c'], at: { line: 1, column: 2 }, ok: true })
  const nodesInRow = 11
  return `[${Array.from({ length: Math.ceil(nodes / nodesInRow) }, () => row).join(',')}]`
}

/** A patch of the tool's format that adds a file of so many lines. */
export const longPatch = (count: number): string =>
  [
    '*** Begin Patch',
    '*** Add File: long.txt',
    ...Array.from({ length: count }, (_, at) => `+line ${at + 1}`),
    '*** End Patch',
  ].join('\n')
