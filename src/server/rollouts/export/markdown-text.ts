/**
 * Markdown that a model or a person wrote, made harmless: as HTML for a page that loads nothing, and as Markdown that
 * cannot run into what follows it. What is not plain enough stays a plain text.
 */
import { defaultSchema, sanitize } from 'hast-util-sanitize'
import { toHtml } from 'hast-util-to-html'
import type { Nodes, Root, RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { toHast } from 'mdast-util-to-hast'
import { gfm } from 'micromark-extension-gfm'
import { seen, seenAddress } from './html-text.ts'

/** Larger texts, and those nested deeper, are not taken apart. */
const largest = 60_000
const deepest = 40
/** More of these make parsers slow. */
const mostMarks = 4_000

/** The parse, or null for what should stay a plain text. */
const parse = (text: string): Root | null => {
  if (text.length > largest) return null
  if ((text.match(/[[\]*_~`<>|]/g)?.length ?? 0) > mostMarks) return null
  if (/(?:>[ \t]*){40}|^[ \t]{200}|(?:[-*+][ \t]+){40}|[[(]{60}|[*_]{100}/m.test(text)) return null
  try {
    const root = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
    return depthOf(root, 0) > deepest ? null : root
  } catch {
    return null
  }
}

const depthOf = (node: Nodes, depth: number): number => {
  if (depth > deepest || !('children' in node)) return depth
  return Math.max(depth, ...node.children.map((child) => depthOf(child, depth + 1)))
}

const isWebAddress = (url: string): boolean => /^(?:https?:|mailto:)/i.test(url.trim())

/** Pictures become words, raw HTML becomes what it says, and links lead to the web or nowhere. */
const harmless = (node: Nodes): Nodes => {
  if (node.type === 'html') return { type: 'inlineCode', value: seen(node.value) }
  if (node.type === 'text' || node.type === 'inlineCode') return { ...node, value: seen(node.value) }
  if (node.type === 'code') return { type: 'code', value: seen(node.value) }
  if (node.type === 'image' || node.type === 'imageReference') {
    const url = 'url' in node ? node.url : node.identifier
    return { type: 'text', value: seen(`[picture: ${node.alt ?? ''} ${url.slice(0, 300)}]`) }
  }
  if (node.type === 'definition')
    return {
      type: 'paragraph',
      children: [{ type: 'text', value: seen(`[${node.label ?? node.identifier}]: ${node.url}`) }],
    }
  if (node.type === 'footnoteDefinition' || node.type === 'footnoteReference')
    return { type: 'text', value: seen(`[^${node.identifier}]`) }
  if (!('children' in node)) return node
  const children = node.children.map((child) => harmless(child)) as RootContent[]
  if (node.type === 'linkReference') return { type: 'emphasis', children } as Nodes
  if (node.type === 'link' && !isWebAddress(node.url)) return { type: 'emphasis', children } as Nodes
  return (
    node.type === 'link' ? { type: 'link', url: seenAddress(node.url), children } : { ...node, children }
  ) as Nodes
}

const schema: typeof defaultSchema = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => name !== 'img' && name !== 'picture'),
  attributes: { a: ['href'], code: [], input: [['type', 'checkbox'], 'disabled', 'checked'], ol: ['start'] },
  protocols: { href: ['http', 'https', 'mailto'] },
}

/** HTML of the text without scripts, pictures and styles; null when it should be shown as it is. */
export const htmlOfMarkdown = (text: string): string | null => {
  const root = parse(text)
  if (!root) return null
  try {
    const tree = sanitize(toHast(harmless(root)), schema)
    return toHtml(tree).replaceAll('<a href=', '<a rel="noopener noreferrer" href=')
  } catch {
    return null
  }
}

/** A fence that the text cannot close. */
export const fenced = (text: string, language = ''): string => {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`
}

type Change = { from: number; to: number; text: string }

/** What of the source would become a picture or HTML, with what should stand there. */
const changesIn = (node: Nodes, source: string): Change[] => {
  const from = node.position?.start.offset
  const to = node.position?.end.offset
  if (from !== undefined && to !== undefined) {
    if (node.type === 'html')
      return [{ from, to, text: source.slice(from, to).replaceAll('<', '&lt;').replaceAll('\n\n', '\n') }]
    if (node.type === 'image' || node.type === 'imageReference')
      return [{ from, to, text: `(picture) ${source.slice(from + 1, to).replaceAll('![', '!\\[')}` }]
  }
  return 'children' in node ? node.children.flatMap((child) => changesIn(child, source)) : []
}

/** Nothing in the tree that loads anything. */
const isQuiet = (node: Nodes): boolean =>
  !['html', 'image', 'imageReference'].includes(node.type) &&
  !('children' in node && node.children.some((child) => !isQuiet(child)))

const sentinel = 'what follows stands by itself'

/** The text leaves nothing open: a paragraph after it is one. */
const isClosed = (text: string): boolean => {
  const last = parse(`${text}\n\n${sentinel}\n`)?.children.at(-1)
  const [words] = last?.type === 'paragraph' ? last.children : []
  return words?.type === 'text' && words.value === sentinel
}

/** The text as Markdown without pictures and HTML; in a fence when it cannot be had without. */
export const safeMarkdown = (text: string): string => {
  const root = parse(text)
  if (!root) return fenced(text, 'text')
  let out = ''
  let last = 0
  for (const change of changesIn(root, text)) {
    out += text.slice(last, change.from) + change.text
    last = change.to
  }
  out += text.slice(last)
  const again = parse(out)
  return again && isQuiet(again) && isClosed(out) ? out : fenced(text, 'text')
}
