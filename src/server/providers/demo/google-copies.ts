// The scripted server's side of Google's explicit cache: copies of tools and instructions under names.
import { type Json, list, record, text } from '../fields.ts'

export type GoogleCopy = {
  name: string
  model: string
  tools: unknown[]
  systemInstruction: unknown
  tokens: number
}

type Reply = { status: number; body: unknown }

const PATH = /\/(cachedContents)(?:\/([\w-]+))?$/
const BYTES_PER_TOKEN = 4
/** The vendor makes no smaller ones. */
const LEAST_TOKENS = 1_024

const refused = (status: number, word: string, message: string): Reply => ({
  status,
  body: { error: { code: status, status: word, message } },
})

const gone = () => refused(403, 'PERMISSION_DENIED', 'CachedContent not found (or permission denied)')

export function createGoogleCopies() {
  const copies = new Map<string, GoogleCopy>()
  const log: { method: string; name: string | null; ttl: string }[] = []
  let made = 0

  function make(body: Json, bytes: number): Reply {
    const tokens = Math.ceil(bytes / BYTES_PER_TOKEN)
    if (tokens < LEAST_TOKENS)
      return refused(400, 'INVALID_ARGUMENT', `Cached content is too small. total_token_count=${tokens}`)
    made += 1
    const name = `cachedContents/copy-${made}`
    const { systemInstruction } = body
    copies.set(name, { name, model: text(body.model), tools: list(body.tools), systemInstruction, tokens })
    return { status: 200, body: { name, model: body.model, usageMetadata: { totalTokenCount: tokens } } }
  }

  return {
    copies,
    /** What was asked for, oldest first. */
    log,
    /** Null: the path is not about copies. */
    handle(method: string, path: string, body: Json, bytes: number): Reply | null {
      const [, , id] = PATH.exec(path) ?? []
      if (!PATH.test(path)) return null
      const name = id === undefined ? null : `cachedContents/${id}`
      log.push({ method, name, ttl: text(body.ttl) })
      if (name === null)
        return method === 'POST' ? make(body, bytes) : refused(404, 'NOT_FOUND', 'no such method')
      const copy = copies.get(name)
      if (copy === undefined) return gone()
      if (method === 'DELETE') {
        copies.delete(name)
        return { status: 200, body: {} }
      }
      return { status: 200, body: { name, model: copy.model } }
    },
    /** Why a request that names a copy is refused; null when it names none, or may. */
    refusal(body: Json): Reply | null {
      const name = text(body.cachedContent)
      if (name === '') return null
      if (!copies.has(name)) return gone()
      if (body.tools === undefined && body.systemInstruction === undefined && body.toolConfig === undefined)
        return null
      const said =
        'CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.'
      return refused(400, 'INVALID_ARGUMENT', said)
    },
    tokensOf: (body: Json): number => copies.get(text(body.cachedContent))?.tokens ?? 0,
    /** The request as the model reads it: with the head that it names. */
    whole(body: Json): Json {
      const copy = copies.get(text(body.cachedContent))
      if (copy === undefined) return body
      const { cachedContent: _named, ...rest } = body
      return { tools: copy.tools, systemInstruction: record(copy.systemInstruction), ...rest }
    },
  }
}
