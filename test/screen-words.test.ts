/**
 * Every word of the screen is in the catalogues, and every word of the catalogues is on the screen: the source of pages and
 * components is read as a syntax tree for texts that stand in it, and for the keys that it asks for.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** A node of the tree, as far as this looks into it. */
type Node = { type: string; start: number; [part: string]: unknown }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const part = (node: Node, name: string): Node | null => {
  const value = node[name]
  return isNode(value) ? value : null
}
const parts = (node: Node, name: string): Node[] => {
  const value = node[name]
  return Array.isArray(value) ? value.filter(isNode) : []
}

function walk(node: Node, see: (node: Node) => void): void {
  see(node)
  for (const value of Object.values(node)) {
    if (isNode(value)) walk(value, see)
    else if (Array.isArray(value)) for (const one of value) if (isNode(one)) walk(one, see)
  }
}

const read = (...folders: string[]) =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
      .map((path) => {
        const name = `${folder}/${path}`
        const text = readFileSync(join(root, name), 'utf8')
        const { program, errors } = parseSync(name, text)
        expect(errors, name).toEqual([])
        return { name, text, tree: program as unknown as Node }
      }),
  )

const sources = read('src/app', 'src/components', 'src/client', 'src/i18n')

/** The text of a string, also of a template without values; null = it is none. */
function textOf(node: Node | undefined | null): string | null {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : null
  if (node?.type === 'TemplateLiteral' && parts(node, 'expressions').length === 0)
    return literalsOf(node)[0] ?? null
  return null
}

/** What stands between the values of a template. */
const literalsOf = (template: Node): string[] =>
  parts(template, 'quasis').map(({ value }) => String((value as { raw: string }).raw))

// --- Texts that stand in the source ---

/** Attributes that a person sees or hears. */
const spoken = new Set([
  'title',
  'alt',
  'label',
  'placeholder',
  'hint',
  'detail',
  'text',
  'name',
  'summary',
  'aria-label',
  'aria-description',
  'aria-placeholder',
  'aria-roledescription',
  'aria-valuetext',
])

/** `name` is also what a form calls its field: a word in small letters without spaces is that. */
const isIdentifier = (attribute: string, text: string): boolean =>
  attribute === 'name' && /^[a-z][\w.:-]*$/.test(text)

/** Names, keys of a keyboard and signs that are the same in every language. */
const everywhere = new Set(['Ctrl', 'Alt', '.txt', '[redacted:'])

/** Outside JSX a string may be a value that nobody sees: what has a space or begins with a capital is for people. */
const isSentence = (text: string): boolean => /^\p{Lu}|\p{L} \p{L}/u.test(text)

const hasWords = (text: string): boolean => /\p{L}{2,}/u.test(text) && !everywhere.has(text.trim())

/** Strings that an expression can come to, as far as it can be seen. */
function textsOf(node: Node | null): string[] {
  if (node === null) return []
  const own = textOf(node)
  if (own !== null) return [own]
  switch (node.type) {
    case 'TemplateLiteral':
      return literalsOf(node)
    case 'ConditionalExpression':
      return [...textsOf(part(node, 'consequent')), ...textsOf(part(node, 'alternate'))]
    case 'ParenthesizedExpression':
      return textsOf(part(node, 'expression'))
    case 'LogicalExpression':
      return node.operator === '&&'
        ? textsOf(part(node, 'right'))
        : [...textsOf(part(node, 'left')), ...textsOf(part(node, 'right'))]
    case 'BinaryExpression':
      return node.operator === '+' ? [...textsOf(part(node, 'left')), ...textsOf(part(node, 'right'))] : []
    default:
      return []
  }
}

/** What a node of JSX says by itself. */
function said(node: Node): string[] {
  if (node.type === 'JSXText') return [String(node.value)]
  if (node.type === 'JSXElement' || node.type === 'JSXFragment')
    return parts(node, 'children')
      .filter(({ type }) => type === 'JSXExpressionContainer')
      .flatMap((child) => textsOf(part(child, 'expression')))
  if (node.type === 'JSXAttribute') {
    const attribute = String(part(node, 'name')?.name)
    if (!spoken.has(attribute)) return []
    const value = part(node, 'value')
    return textsOf(value?.type === 'JSXExpressionContainer' ? part(value, 'expression') : value).filter(
      (text) => !isIdentifier(attribute, text),
    )
  }
  // What a table gives to attributes, and what is put into the state of a component.
  if (node.type === 'Property' && spoken.has(String(part(node, 'key')?.name)))
    return textsOf(part(node, 'value')).filter(isSentence)
  if (node.type === 'CallExpression' && /^set[A-Z]/.test(String(part(node, 'callee')?.name)))
    return parts(node, 'arguments').flatMap(textsOf).filter(isSentence)
  return []
}

test('words in the source are seen wherever they stand', () => {
  const sample = `const row = { label: 'Good day', name: 'field' }
    export const View = () => <p title={on ? 'Open it' : t('close')} name="field">Hello {on && \`sir \${who}\`} {t('key')}</p>`
  const found: string[] = []
  walk(parseSync('sample.tsx', sample).program as unknown as Node, (node) => {
    found.push(...said(node).filter(hasWords))
  })
  expect(found.map((text) => text.trim()).sort()).toEqual(['Good day', 'Hello', 'Open it', 'sir'])
})

test('no word of the screen stands in the source', () => {
  const found: string[] = []
  for (const { name, text, tree } of sources)
    walk(tree, (node) => {
      const line = (): number => text.slice(0, node.start).split('\n').length
      for (const words of said(node).filter(hasWords)) found.push(`${name}:${line()} ${words.trim()}`)
    })
  expect(found).toEqual([])
})

// --- Keys that are asked for ---

type Catalogue = { [key: string]: string | Catalogue }

const keysOf = (catalogue: Catalogue, path = ''): string[] =>
  Object.entries(catalogue).flatMap(([key, value]) =>
    typeof value === 'string' ? [path + key] : keysOf(value, `${path}${key}.`),
  )

/**
 * What a file asks for: `useTranslations('a.b')` opens a namespace; every string of the file may be the rest of a key in it,
 * a template one with unknown parts.
 */
function askedIn(tree: Node): { spaces: Set<string>; rests: RegExp[]; words: Set<string> } {
  const spaces = new Set<string>()
  const words = new Set<string>()
  const rests: RegExp[] = []
  walk(tree, (node) => {
    if (node.type === 'CallExpression' && /^(use|get)Translations$/.test(String(part(node, 'callee')?.name)))
      spaces.add(textOf(parts(node, 'arguments')[0]) ?? '')
    const own = textOf(node)
    if (own !== null) words.add(own)
    else if (node.type === 'TemplateLiteral') {
      const literals = literalsOf(node)
      // One of values alone says nothing of what is asked for.
      if (literals.every((text) => /^[\w.-]*$/.test(text)) && literals.some((text) => text !== ''))
        rests.push(new RegExp(`^${literals.map((text) => text.replaceAll('.', '\\.')).join('[\\w-]+')}$`))
    }
    const key = node.type === 'Property' ? part(node, 'key') : null
    if (key?.type === 'Identifier') words.add(String(key.name))
  })
  return { spaces, rests, words }
}

test('every key of the catalogues is asked for', () => {
  const catalogue = JSON.parse(readFileSync(join(root, 'messages', 'en.json'), 'utf8')) as Catalogue
  const files = sources.map(({ tree }) => askedIn(tree))
  // A single word may come from a table in another file, or be one of a closed list of the server.
  const everyWord = new Set(
    [...files, ...read('src/protocol', 'src/server').map(({ tree }) => askedIn(tree))].flatMap(
      ({ words }) => [...words],
    ),
  )
  const unused = keysOf(catalogue).filter(
    (key) =>
      !files.some(({ spaces, rests, words }) =>
        [...spaces].some((space) => {
          if (space !== '' && !key.startsWith(`${space}.`)) return false
          const rest = space === '' ? key : key.slice(space.length + 1)
          return (
            words.has(rest) ||
            (!rest.includes('.') && everyWord.has(rest)) ||
            rests.some((one) => one.test(rest))
          )
        }),
      ),
  )
  expect(unused).toEqual([])
})
