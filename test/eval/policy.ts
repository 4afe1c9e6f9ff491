/**
 * The model of the evaluation: what it answers to one request, and nothing but that request is known to it. It does what
 * the newest message asks, notes down what strikes it, and answers questions from what it sees or looks up, searching
 * only with words of the question. It keeps nothing between requests.
 */
import type { Reply } from '../scripted-model/scripted-model.ts'
import { bestLine, keyWords, namesIn, noteFor, worthKeeping } from './reading.ts'
import { type Piece, readRequest, type VisibleRequest } from './request.ts'

/** Calls that only look things up: what a fact costs is counted in them. */
export const looksUp = (tool: string): boolean => /^(history_|notes_(list|read|search)$)/.test(tool)

/** After so many lookups it says that it does not know. */
const patience = 2
const documentChars = 2_500
const outputTokens = 1_500

type Call = Extract<Piece, { kind: 'call' }>
type ToolUse = { name: string; arguments: Record<string, unknown> }

/** What the newest message of a person asks, and what was done about it in view. */
type Situation = {
  request: VisibleRequest
  message: string
  done: { call: Call; result: string | null }[]
  /** What is known of the time before the message, oldest first. */
  before: string[]
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What the harness tells of the past; its standing instructions tell nothing of it. */
const isAboutThePast = (said: string): boolean => /<(hint|hand_over|plan|pinned|cut)[ >\n]/.test(said)

const evidence = (pieces: readonly Piece[]): string[] =>
  pieces.flatMap((piece) => {
    switch (piece.kind) {
      case 'developer':
        return isAboutThePast(piece.text) ? [piece.text] : []
      case 'call':
        return piece.name.startsWith('notes_') ? [text(piece.input.text)] : []
      default:
        return [piece.text]
    }
  })

const situationOf = (request: VisibleRequest): Situation => {
  const { pieces } = request
  const at = pieces.findLastIndex(({ kind }) => kind === 'user')
  const message = pieces[at]
  const results = new Map(
    pieces.flatMap((each) => (each.kind === 'result' ? [[each.callId, each.text]] : [])),
  )
  return {
    request,
    message: message?.kind === 'user' ? message.text : '',
    done: pieces
      .slice(at + 1)
      .flatMap((call) => (call.kind === 'call' ? [{ call, result: results.get(call.callId) ?? null }] : [])),
    // The plan and the notice of a cut stand after the message.
    before: evidence(
      pieces.filter((piece, place) => place < at || (place > at && piece.kind === 'developer')),
    ),
  }
}

// ---- the work ------------------------------------------------------------------------------------------------

const commandsIn = (message: string): string[] =>
  [...message.matchAll(/\brun ((?:`[^`\n]+`(?:,? and then |,? and |, )?)+)/gi)].flatMap(([, list = '']) =>
    [...list.matchAll(/`([^`\n]+)`/g)].map(([, command = '']) => command),
  )

const planIn = (message: string): { step: string; status: string }[] => {
  const states: Record<string, string> = { x: 'completed', '>': 'in_progress', ' ': 'pending' }
  return [...message.matchAll(/^- \[([x> ])\] (.+)$/gm)].map(([, mark = ' ', step = '']) => ({
    step,
    status: states[mark] ?? 'pending',
  }))
}

const patchIn = (message: string): string | null =>
  /\*\*\* Begin Patch\n[\s\S]*\n\*\*\* End Patch/.exec(message)?.[0] ?? null

const isDone = ({ done }: Situation, name: string, field: string, value: unknown): boolean =>
  done.some(({ call }) => call.name === name && call.input[field] === value)

/** The next thing that the message asks for, if something is left of it. */
const work = (now: Situation): ToolUse | null => {
  const { message, done } = now
  for (const cmd of commandsIn(message)) {
    if (isDone(now, 'exec_command', 'cmd', cmd)) continue
    const wait = /in the background/.test(message) ? { yield_time_ms: 250 } : {}
    return { name: 'exec_command', arguments: { cmd, max_output_tokens: outputTokens, ...wait } }
  }
  const patch = patchIn(message)
  if (patch !== null && !isDone(now, 'apply_patch', 'input', patch))
    return { name: 'apply_patch', arguments: { input: patch } }
  const plan = planIn(message)
  if (plan.length > 0 && !done.some(({ call }) => call.name === 'update_plan'))
    return { name: 'update_plan', arguments: { plan } }
  return null
}

/** The faster of the candidates that were measured, when the message asks for a decision. */
const decision = ({ message, done }: Situation): string | null => {
  const topic = /decide on ([^.,:]+)/.exec(message)?.[1]
  if (topic === undefined) return null
  const measured = done
    .flatMap(({ result }) => [...(result ?? '').matchAll(/^candidate (\S+): (\d+) ms$/gm)])
    .map(([, name = '', ms = '']) => ({ name, ms: Number(ms) }))
    .sort((a, b) => a.ms - b.ms)
  const [first, second] = measured
  if (first === undefined || second === undefined) return null
  return `Decision on ${topic}: ${first.name}, because it took ${first.ms} ms against ${second.ms} ms.`
}

/** Notes on what struck in this turn and is not noted in view. */
const notes = (now: Situation): ToolUse[] => {
  if (isQuestion(now.message) || !now.request.tools.has('notes_append')) return []
  const noted = now.done
    .map(({ call }) => (call.name === 'notes_append' ? text(call.input.text) : ''))
    .join('\n')
  const seen = [now.message, ...now.done.flatMap(({ result }) => result ?? []), decision(now) ?? '']
  const files = new Map<string, string[]>()
  let path = ''
  for (const line of new Set(seen.flatMap(worthKeeping))) {
    // Lines of a list stay with the line that announces it.
    if (!/^(- |\[.\] )/.test(line) || path === '') path = noteFor(line)
    if (!noted.includes(line)) files.set(path, [...(files.get(path) ?? []), line])
  }
  return [...files].map(([file, lines]) => ({
    name: 'notes_append',
    arguments: { path: file, text: `${lines.join('\n')}\n` },
  }))
}

// ---- questions -----------------------------------------------------------------------------------------------

const isQuestion = (message: string): boolean => message.startsWith('Question:')

const openSteps = (texts: readonly string[]): string | null => {
  const plan = texts.findLast((each) => /<plan>/.test(each) || /"plan":/.test(each))
  if (plan === undefined) return null
  const shown = [...plan.matchAll(/^\[[ >]\] .+$/gm)].map(([line]) => line)
  const written = [...plan.matchAll(/"step":"([^"]+)","status":"(?:pending|in_progress)"/g)].map(
    ([, step]) => step,
  )
  const open = shown.length > 0 ? shown : written
  return open.length === 0 ? null : `Still open:\n${open.join('\n')}`
}

const asksForPlan = (question: string): boolean => /\bof the plan\b/.test(question)

const answer = (texts: readonly string[], question: string): string | null =>
  asksForPlan(question) ? openSteps(texts) : bestLine(texts, question)

/** A note that is listed in view and named like a word of the question. */
const fittingNote = (texts: readonly string[], question: string): string | null => {
  const listed = texts.flatMap((each) => [...each.matchAll(/\b([a-z]+)\.md\b/g)].map(([, stem = '']) => stem))
  const stem = listed.find((each) => keyWords(question).some((word) => word.startsWith(each.slice(0, 4))))
  return stem === undefined ? null : `${stem}.md`
}

const search = (query: string, mode: 'literal' | 'words'): ToolUse => ({
  name: 'history_search',
  arguments: { query, mode, limit: 10 },
})

const longest = (question: string, count: number): string =>
  [...keyWords(question)]
    .sort((a, b) => b.length - a.length)
    .slice(0, count)
    .join(' ')

/** The first hit of the search before, read where it matched. */
const readOn = (results: readonly string[]): ToolUse | null => {
  const hit = /^\[(itm_[\w-]+)\][^\n]* tool [^\n]*offset_chars (\d+)/m.exec(results.at(-1) ?? '')
  if (hit === null) return null
  const [, itemId, offset] = hit
  return {
    name: 'history_read_item',
    arguments: { item_id: itemId, offset_chars: Math.max(Number(offset) - 1_000, 0), limit_chars: 4_000 },
  }
}

const lookUp = ({ request, message, before }: Situation, results: readonly string[]): ToolUse => {
  const [name] = namesIn(message)
  const tries: ToolUse[] = []
  if (asksForPlan(message))
    tries.push({
      name: 'history_list_items',
      arguments: { tool_name: 'update_plan', limit: 1, max_chars_per_item: 2_000 },
    })
  const note = fittingNote(before, message)
  if (note !== null) tries.push({ name: 'notes_read', arguments: { path: note } })
  if (name !== undefined) tries.push(search(name, 'literal'))
  tries.push(search(longest(message, 2), 'words'), search(longest(message, 1), 'words'))
  const able = tries.filter((each) => request.tools.has(each.name))
  const next = results.length === 1 ? readOn(results) : null
  return next ?? able[results.length] ?? search(longest(message, 1), 'words')
}

const reply = (now: Situation): Reply => {
  const lookups = now.done.filter(({ call }) => looksUp(call.name))
  const results = lookups.flatMap(({ result }) => result ?? [])
  const found = answer([...now.before, ...results], now.message)
  if (found !== null) return { text: found }
  if (lookups.length >= patience) return { text: 'I do not know.' }
  const next = lookUp(now, results)
  if (!now.request.tools.has(next.name)) return { text: 'I do not know.' }
  return { calls: [next] }
}

// ---- windows -------------------------------------------------------------------------------------------------

/** The document for the next window: what strikes in this one, newest kept when it is too much. */
const document = ({ pieces }: VisibleRequest): string => {
  const kept: string[] = []
  let chars = 0
  const lines = [...new Set(evidence(pieces).flatMap(worthKeeping))].reverse()
  for (const line of lines) {
    chars += line.length + 1
    if (chars > documentChars) break
    kept.unshift(line)
  }
  return ['What is known:', ...kept].join('\n')
}

/** Whether the harness said this last, with nothing but calls and results after it. */
const isTold = ({ pieces }: VisibleRequest, tag: string): boolean => {
  const at = pieces.findLastIndex(({ kind }) => kind === 'user')
  return pieces.some((piece, place) => place > at && piece.kind === 'developer' && piece.text.includes(tag))
}

/** `body`: the bytes of one request, as they came. */
export const policy = (body: string): Reply => {
  const request = readRequest(body)
  if (isTold(request, '<hand_over_request>')) return { text: document(request) }
  const now = situationOf(request)
  const mustSave = isTold(request, '<context_full>')
  const next = mustSave ? null : work(now)
  if (next !== null) return { calls: [next] }
  const unsaved = notes(now)
  if (unsaved.length > 0) return { calls: unsaved }
  if (mustSave && request.tools.has('new_context')) return { calls: [{ name: 'new_context', arguments: {} }] }
  if (isQuestion(now.message)) return reply(now)
  return { text: decision(now) ?? 'Done.' }
}
