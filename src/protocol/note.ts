/**
 * Notes: an agent's own files, kept in the database for the whole thread, whatever its windows. Their paths and limits,
 * the same for models, people and tables.
 */
import { Fault } from './error.ts'
import type { ActorId } from './ids.ts'

/** The name of a thread's main agent; sub-agents are below it. */
export const rootAgent = '/root'

/** UTF-8 bytes of one file, files of one agent, characters of a path within an agent's notes. */
export const noteLimits = { fileBytes: 1_000_000, files: 10_000, pathChars: 500 } as const

/** One version of a note, without its text. */
export type NoteFile = {
  agentPath: string
  /** Within the agent's notes, for example `plan.md`. */
  path: string
  /** From 1; every version stays readable. */
  version: number
  bytes: number
  /** Who wrote this version: a person, or `agent`. */
  actorId: ActorId
  /** Of the file's first version and of this one; milliseconds. */
  createdAt: number
  updatedAt: number
}
export type NoteText = NoteFile & { text: string }

/** What a write did. Nothing is ever overwritten: a new version lies on top. */
export type NoteWritten = {
  file: NoteFile
  /** The version that somebody else wrote since the writer last saw the file, and that this one now lies on. */
  over: { version: number; actorId: ActorId; at: number } | null
  /** True when the newest version already said the same: no version was made. */
  unchanged: boolean
}

const rejected = (message: string, next: string): Fault => new Fault('note_rejected', message, next)

const shown = (path: string): string => JSON.stringify(path.length <= 80 ? path : `${path.slice(0, 80)}…`)

const checkParts = (path: string, asked: string): void => {
  const parts = path.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    throw rejected(
      `The note path ${shown(asked)} has an empty, "." or ".." part.`,
      'Name the file plainly, for example "plan.md" or "findings/api.md".',
    )
}

/**
 * Whose file a path names: `plan.md` is the agent's own, `/root/notes/plan.md` that of the agent `/root`; `~` means
 * nothing special. Throws the Fault `note_rejected`, which says what to write instead.
 */
export const parseNotePath = (asked: string, self: string): { agentPath: string; path: string } => {
  if (asked === '') throw rejected('The note path is empty.', 'Give a file name, for example "plan.md".')
  if (/\0/.test(asked) || !asked.isWellFormed())
    throw rejected('The note path has a character that cannot be kept.', 'Use plain letters and digits.')
  const isAbsolute = asked.startsWith('/')
  const at = isAbsolute ? asked.indexOf('/notes/', 1) : -1
  if (isAbsolute && at < 0)
    throw rejected(
      `The note path ${shown(asked)} names no file.`,
      `Leave the first "/" out, or write "${self}/notes/" before the file's name.`,
    )
  const agentPath = isAbsolute ? asked.slice(0, at) : self
  const path = isAbsolute ? asked.slice(at + '/notes/'.length) : asked
  if (isAbsolute) checkParts(agentPath.slice(1), asked)
  checkParts(path, asked)
  if (path.length > noteLimits.pathChars)
    throw rejected(
      `The note path has ${path.length} characters; at most ${noteLimits.pathChars} are allowed.`,
      'Choose a shorter name.',
    )
  return { agentPath, path }
}

/** The beginning of paths, as `parseNotePath` reads whole ones; `/root/notes` and nothing at all mean every file. */
export const parseNotePrefix = (asked: string, self: string): { agentPath: string; prefix: string } => {
  if (/\0/.test(asked) || !asked.isWellFormed())
    throw rejected('The prefix has a character that no note path has.', 'Use plain letters and digits.')
  if (!asked.startsWith('/')) return { agentPath: self, prefix: asked }
  const [, agentPath, rest = ''] = /^(\/.+?)\/notes(?:\/(.*))?$/s.exec(asked) ?? []
  if (agentPath === undefined)
    throw rejected(
      `The prefix ${shown(asked)} names no agent's notes.`,
      `Leave the first "/" out, or begin with "${self}/notes/".`,
    )
  return { agentPath, prefix: rest }
}

/** A file's path as its reader writes it: short for its own, whole for those of others. */
export const notePath = ({ agentPath, path }: Pick<NoteFile, 'agentPath' | 'path'>, self: string): string =>
  agentPath === self ? path : `${agentPath}/notes/${path}`

/** The text as it can be kept; throws `note_rejected` when it is too long or has a NUL. Returns its UTF-8 bytes. */
export const noteBytes = (text: string): Uint8Array => {
  if (text.includes('\0'))
    throw rejected('The text has a NUL character, which a note cannot hold.', 'Leave it out and write again.')
  const bytes = new TextEncoder().encode(text)
  if (bytes.length > noteLimits.fileBytes)
    throw rejected(
      `The note would have ${bytes.length} bytes; at most ${noteLimits.fileBytes} are allowed.`,
      'Keep what matters, or split it into several files.',
    )
  return bytes
}
