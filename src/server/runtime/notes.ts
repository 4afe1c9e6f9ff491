/**
 * An agent's notes, as the loop and its tools see them, and the op by which a person edits one. Remembers which versions
 * the agent has seen, so that it is told of what others wrote, and whether its last write failed.
 */
import { type ErrorFact, Fault, toFact } from '../../protocol/error.ts'
import type { ActorId } from '../../protocol/ids.ts'
import { type NoteWritten, notePath, parseNotePath, parseNotePrefix } from '../../protocol/note.ts'
import type { ItemRow, NotesOf, OpChange } from '../store/types.ts'
import type { NoteMatches, NotesPort } from '../tools/types.ts'
import { findAgent } from './agents.ts'
import type { ThreadContext } from './context.ts'

/** Kept for the thread from turn to turn. */
export type NoteMemory = {
  /** Versions that the agent has read or written, by whole path. */
  seen: Map<string, number>
  /** Undefined until the first write of this process. */
  failure: ErrorFact | null | undefined
}

export const newNoteMemory = (): NoteMemory => ({ seen: new Map(), failure: undefined })

const writers = ['notes_write', 'notes_append']

/** Characters of a line that are shown around a match. */
const lineChars = 300

const missing = (asked: string): Fault =>
  new Fault(
    'not_found',
    `There is no note ${JSON.stringify(asked.slice(0, 200))}, or no such version of it.`,
    'See what there is with notes_list.',
  )

const lineAt = (text: string, at: number): string => {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const next = text.indexOf('\n', at)
  const line = text.slice(start, next < 0 ? text.length : next)
  if (line.length <= lineChars) return line
  const from = Math.max(0, at - start - lineChars / 3)
  return `${from > 0 ? '…' : ''}${line.slice(from, from + lineChars).toWellFormed()}…`
}

/** Lines that hold the literal, each once, in order. */
const matchesIn = (text: string, literal: string, limit: number): Pick<NoteMatches, 'lines' | 'more'> => {
  const lines: NoteMatches['lines'] = []
  let line = 1
  let counted = 0
  for (let at = text.indexOf(literal); at >= 0; ) {
    for (let end = text.indexOf('\n', counted); end >= 0 && end < at; end = text.indexOf('\n', counted)) {
      line += 1
      counted = end + 1
    }
    if (lines.length === limit) return { lines, more: true }
    lines.push({ line, text: lineAt(text, at) })
    const next = text.indexOf('\n', at)
    at = next < 0 ? -1 : text.indexOf(literal, next + 1)
  }
  return { lines, more: false }
}

const failureOf = ({ item }: ItemRow): ErrorFact | null => {
  if (item.type !== 'tool_call' || item.state.status === 'succeeded') return null
  if ('error' in item.state) return item.state.error
  return {
    code: 'note_rejected',
    message: 'The last note was interrupted while it was written.',
    next: 'Read the note, and write it again if it is not there.',
  }
}

const emitWritten = async (
  context: ThreadContext,
  { file, over }: NoteWritten,
  by: { actorId: ActorId; itemId?: string; ops?: OpChange[] },
) => {
  const { agentPath, path, version, bytes } = file
  const turnId = by.actorId === 'agent' ? context.turn?.turnId : undefined
  return context.log.emit(
    {
      type: 'note.written',
      windowId: context.log.state().windowId,
      ...(turnId === undefined ? {} : { turnId }),
      ...(by.itemId === undefined ? {} : { itemId: by.itemId }),
      actorId: by.actorId,
      body: { agentPath, path, version, bytes, ...(over === null ? {} : { overVersion: over.version }) },
    },
    by.ops === undefined ? {} : { ops: by.ops },
  )
}

export const createNotes = (context: ThreadContext): NotesPort => {
  const { threadId, agent, noteMemory: memory } = context
  const { store } = context.deps
  const { notes, history } = store
  const { agentPath: self, rootThreadId } = agent
  /** Whose notes are meant; not_found for a name that the tree does not have. */
  const of = async (agentPath: string): Promise<NotesOf> => {
    await findAgent(store, agent, agentPath)
    return { rootThreadId, agentPath }
  }
  const whole = (file: { agentPath: string; path: string }): string => notePath(file, '')

  const put = async (
    itemId: string,
    asked: string,
    text: string,
    mode: 'write' | 'append',
    base?: number,
  ): Promise<NoteWritten> => {
    try {
      const place = parseNotePath(asked, self)
      const whose = await of(place.agentPath)
      const seen = base ?? memory.seen.get(whole(place)) ?? 0
      const { path } = place
      const note = { path, text, mode, actorId: 'agent', writer: self, seen }
      const written = await notes.write(whose, note)
      // A file that was added to was not read by that.
      if (mode === 'write' || written.file.version === seen + 1)
        memory.seen.set(whole(place), written.file.version)
      if (!written.unchanged) await emitWritten(context, written, { actorId: 'agent', itemId })
      memory.failure = null
      return written
    } catch (error) {
      memory.failure = toFact(error)
      throw error
    }
  }

  return {
    agentPath: self,
    list: async ({ prefix, cursor, ...order }) => {
      const place = parseNotePrefix(prefix ?? '', self)
      const { limit } = order
      const { files, total } = await notes.list(await of(place.agentPath), place.prefix, {
        ...order,
        limit: limit + 1,
        ...(cursor === undefined ? {} : { after: cursor }),
      })
      const entries = files.slice(0, limit)
      return { entries, total, cursor: files.length > limit ? (entries.at(-1)?.path ?? null) : null }
    },
    read: async (asked, version) => {
      const place = parseNotePath(asked, self)
      const found = await notes.read(await of(place.agentPath), place.path, version)
      if (!found) throw missing(asked)
      const seen = memory.seen.get(whole(place)) ?? 0
      memory.seen.set(whole(place), Math.max(seen, found.version))
      return found
    },
    search: async ({ query, prefix, maxFiles, maxMatchesPerFile, recentFirst }) => {
      const place = parseNotePrefix(prefix ?? '', self)
      const asked = { literal: query, prefix: place.prefix, limit: maxFiles + 1, recentFirst }
      const found = await notes.find(await of(place.agentPath), asked)
      return {
        files: found.slice(0, maxFiles).map(({ text, ...file }) => ({
          file,
          ...matchesIn(text, query, maxMatchesPerFile),
        })),
        more: found.length > maxFiles,
      }
    },
    write: (itemId, { path, text, baseVersion }) => put(itemId, path, text, 'write', baseVersion),
    append: (itemId, { path, text }) => put(itemId, path, text, 'append'),
    refused: (tool, error) => {
      if (writers.includes(tool)) memory.failure = error
    },
    lastFailure: async () => {
      if (memory.failure === undefined) {
        const last = await history.lastCall(threadId, writers)
        memory.failure ??= last ? failureOf(last) : null
      }
      return memory.failure
    },
    index: async (limit) =>
      notes.list({ rootThreadId, agentPath: self }, '', { orderBy: 'updated_at', descending: true, limit }),
  }
}

/**
 * A person's edit: always kept, as the newest version. When somebody had written since `baseVersion`, the receipt says
 * so beside `applied`, and the log too.
 */
export const writeNote = async (
  context: ThreadContext,
  {
    opId,
    actorId,
    op,
  }: {
    opId: string
    actorId: ActorId
    op: { path: string; text: string; baseVersion?: number | undefined }
  },
): Promise<void> => {
  const { agent, deps } = context
  const { agentPath, path } = parseNotePath(op.path, agent.agentPath)
  await findAgent(deps.store, agent, agentPath)
  const written = await deps.store.notes.write(
    { rootThreadId: agent.rootThreadId, agentPath },
    { path, text: op.text, mode: 'write', actorId, writer: actorId, seen: op.baseVersion ?? 0 },
  )
  const { over } = written
  const error: ErrorFact | null = over && {
    code: 'conflict',
    message: `Version ${over.version} was written meanwhile by ${over.actorId === 'agent' ? 'the agent' : 'somebody else'}; yours is version ${written.file.version}, on top of it.`,
    next: `Look at version ${over.version} and bring over what is missing.`,
    details: { overVersion: over.version },
  }
  const ops: OpChange[] = [{ opId, status: 'applied', ...(error === null ? {} : { error }) }]
  if (written.unchanged) return context.log.decide(ops)
  const { committed } = await emitWritten(context, written, { actorId, ops })
  await committed
}
