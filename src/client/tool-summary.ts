/**
 * One line about a tool call: which words, about what, how it ended. Words are keys of the messages; nothing here is
 * drawn.
 */
import { own } from '../lib/own.ts'
import type { ToolCall, ToolDetail } from '../protocol/item.ts'
import type { CommandView } from '../protocol/view.ts'

export type ToolKind =
  | 'command'
  | 'input'
  | 'patch'
  | 'read'
  | 'list'
  | 'search'
  | 'plan'
  | 'question'
  | 'noteRead'
  | 'noteWrite'
  | 'history'
  | 'window'
  | 'windowLeft'
  | 'other'
export type ToolPhase = 'proposed' | 'waiting' | 'running' | 'done' | 'failed' | 'refused' | 'interrupted'

export type ToolSummary = {
  kind: ToolKind
  phase: ToolPhase
  /** Command, path or query; empty while the model has not written it yet. */
  object: string
  commandId: string | null
  exitCode: number | null
  signal: string | null
  timedOut: boolean
  /** True when the command goes on after its call. */
  background: boolean
  startedAt: number | null
  endedAt: number | null
}

const kinds: Record<string, ToolKind> = {
  exec_command: 'command',
  write_stdin: 'input',
  apply_patch: 'patch',
  read_file: 'read',
  list_dir: 'list',
  search_files: 'search',
  update_plan: 'plan',
  request_user_input: 'question',
  notes_list: 'noteRead',
  notes_read: 'noteRead',
  notes_search: 'noteRead',
  notes_write: 'noteWrite',
  notes_append: 'noteWrite',
  history_list_windows: 'history',
  history_list_items: 'history',
  history_read_item: 'history',
  history_search: 'history',
  new_context: 'window',
  get_context_remaining: 'windowLeft',
}

/** A string argument by one of its names, also from JSON that is still being written. */
export function argument(text: string, names: readonly string[]): string {
  try {
    const parsed = JSON.parse(text) as Record<string, unknown>
    for (const name of names) {
      const value = parsed[name]
      if (typeof value === 'string') return value
      if (Array.isArray(value)) return value.join(' ')
    }
    return ''
  } catch {
    for (const name of names) {
      const match = text.match(new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`))
      if (match?.[1] === undefined) continue
      try {
        return JSON.parse(`"${match[1]}"`) as string
      } catch {
        return match[1]
      }
    }
    return ''
  }
}

const patchObject = (detail: ToolDetail | undefined, text: string): string => {
  const paths =
    detail?.type === 'patch'
      ? detail.files.map((file) => file.movedTo ?? file.path)
      : [...text.matchAll(/\*\*\* (?:Add|Update|Delete) File: (.+?)(?:\\n|\n|$)/g)].map(
          (match) => match[1] ?? '',
        )
  const [first = '', ...rest] = paths
  return rest.length === 0 ? first : `${first} +${rest.length}`
}

/** `liveArguments` is what of the arguments has come so far, while the model still writes them. */
export function summarise(
  item: ToolCall,
  command: CommandView | undefined,
  liveArguments: string | undefined,
): ToolSummary {
  const { state } = item
  const text = liveArguments ?? item.arguments.text
  const detail = 'detail' in state ? state.detail : undefined
  const kind = own(kinds, item.tool) ?? 'other'
  const commandDetail = detail?.type === 'command' ? detail : undefined
  const exited = command?.exited
  const object = (() => {
    switch (kind) {
      case 'command':
        return commandDetail?.command ?? argument(text, ['cmd', 'command', 'script'])
      case 'input':
        return argument(text, ['chars', 'text', 'input'])
      case 'patch':
        return patchObject(detail, text)
      case 'search':
        return detail?.type === 'search' ? detail.query : argument(text, ['query', 'pattern'])
      case 'read':
      case 'list':
        return detail?.type === 'read' || detail?.type === 'list'
          ? detail.path
          : argument(text, ['path', 'file_path', 'dir_path', 'file', 'dir'])
      case 'noteRead':
      case 'noteWrite':
        return argument(text, ['path', 'query', 'prefix'])
      case 'history':
        return argument(text, ['query', 'item_id', 'itemId', 'window_id', 'windowId'])
      case 'window':
      case 'windowLeft':
        return ''
      default:
        return item.tool
    }
  })()
  const phase = ((): ToolPhase => {
    if (state.status === 'succeeded') {
      const code = exited?.exitCode ?? commandDetail?.exitCode ?? 0
      const signal = exited?.signal ?? commandDetail?.signal ?? null
      const bad = code !== 0 || signal !== null || commandDetail?.timedOut === true
      return kind === 'command' && bad ? 'failed' : 'done'
    }
    return state.status
  })()
  return {
    kind,
    phase,
    object,
    commandId: commandDetail?.commandId ?? command?.id ?? null,
    exitCode: exited?.exitCode ?? commandDetail?.exitCode ?? null,
    signal: exited?.signal ?? commandDetail?.signal ?? null,
    timedOut: commandDetail?.timedOut ?? false,
    background: commandDetail?.running === true && exited === undefined,
    startedAt: 'startedAt' in state ? (state.startedAt ?? null) : null,
    endedAt: 'endedAt' in state ? state.endedAt : null,
  }
}
