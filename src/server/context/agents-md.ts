/**
 * Which AGENTS.md files hold for a working directory, and the text that the model is given of them. One file a
 * directory, from the project's root down; nested files come later, so they are also cut first at the limit.
 */

import { sha256 } from '../../lib/sha256.ts'
import { readableText } from './text.ts'

/** Bytes over all of a project's files. */
export const rulesLimitBytes = 32_768

const overrideName = 'AGENTS.override.md'
const ruleName = 'AGENTS.md'

export type RulesFiles = {
  /** Whether something of that name exists (file or folder). */
  exists(path: string): Promise<boolean>
  /** The first `limit` bytes of a regular file, links followed; null when there is none. */
  read(path: string, limit: number): Promise<Uint8Array | null>
}

export type RulesOptions = {
  /** Absolute. */
  cwd: string
  /** Where the person's own rules for all projects lie; absent = none. */
  home?: string
  limitBytes?: number
  /** Names tried when a directory has neither of the two. */
  fallbackNames?: string[]
  /** What marks a project's root; without any, only the working directory's own file is read. */
  rootMarkers?: string[]
}

/** Rules as the model is given them: the whole text with its frame, and each file behind it. */
export type Rules = {
  text: string
  /** In the order of the text; `hash` is the SHA-256 of the words of it that stand in `text`. */
  files: RuleFile[]
}
type RuleFile = { path: string; hash: string }
type Part = { text: string; files: RuleFile[] }

/** Null when no rules hold. */
export const readRules = async (files: RulesFiles, options: RulesOptions): Promise<Rules | null> => {
  const limit = options.limitBytes ?? rulesLimitBytes
  const [own, project] = await Promise.all([
    options.home === undefined ? null : homeRules(files, options.home),
    projectRules(files, options, limit),
  ])
  const parts = [own, project].filter((part) => part !== null)
  if (parts.length === 0) return null
  const body = parts.map(({ text }) => text).join('\n\n--- project-doc ---\n\n')
  return {
    text: `# AGENTS.md instructions for ${options.cwd}\n\n<INSTRUCTIONS>\n${body}\n</INSTRUCTIONS>`,
    files: parts.flatMap((part) => part.files),
  }
}

const ruleFile = (path: string, text: string): RuleFile => ({ path, hash: sha256(text) })

const homeRules = async (files: RulesFiles, home: string): Promise<Part | null> => {
  for (const name of [overrideName, ruleName]) {
    const path = join(home, name)
    const bytes = await files.read(path, Number.MAX_SAFE_INTEGER)
    const text = bytes === null ? '' : readableText(decode(bytes).trim())
    if (text !== '') return { text, files: [ruleFile(path, text)] }
  }
  return null
}

const projectRules = async (
  files: RulesFiles,
  options: RulesOptions,
  limit: number,
): Promise<Part | null> => {
  if (limit <= 0) return null
  const names = [overrideName, ruleName, ...(options.fallbackNames ?? [])]
  const directories = await rulesDirectories(files, options)
  // All at once: each read is a round trip into a container, and most of these files do not exist.
  const found = await Promise.all(
    directories.map((directory) =>
      Promise.all(
        names.map(async (name) => ({
          path: join(directory, name),
          bytes: await files.read(join(directory, name), limit),
        })),
      ),
    ),
  )
  const texts: string[] = []
  const read: RuleFile[] = []
  let left = limit
  for (const candidates of found) {
    const { path = '', bytes = null } = candidates.find((candidate) => candidate.bytes !== null) ?? {}
    if (bytes === null || left <= 0) continue
    const kept = bytes.subarray(0, left)
    const text = readableText(decode(kept))
    // A blank file still hides the others of its directory, but it takes nothing of the limit.
    if (text.trim() === '') continue
    texts.push(text)
    read.push(ruleFile(path, text))
    left -= kept.length
  }
  return texts.length === 0 ? null : { text: texts.join('\n\n'), files: read }
}

const rulesDirectories = async (files: RulesFiles, options: RulesOptions): Promise<string[]> => {
  const markers = options.rootMarkers ?? ['.git']
  const upward = ancestors(options.cwd)
  const marked = await Promise.all(
    upward.map(async (directory) => {
      const hits = await Promise.all(markers.map((marker) => files.exists(join(directory, marker))))
      return hits.includes(true)
    }),
  )
  const root = marked.indexOf(true)
  return root < 0 ? [options.cwd] : upward.slice(0, root + 1).reverse()
}

/** The directory itself, then its parents up to `/`. */
const ancestors = (directory: string): string[] => {
  const found = [directory]
  let at = directory
  while (at.lastIndexOf('/') > 0) {
    at = at.slice(0, at.lastIndexOf('/'))
    found.push(at)
  }
  if (directory !== '/') found.push('/')
  return found
}

const join = (directory: string, name: string): string =>
  directory === '/' ? `/${name}` : `${directory}/${name}`

// A byte order mark stays: the model is given the file as it is.
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
