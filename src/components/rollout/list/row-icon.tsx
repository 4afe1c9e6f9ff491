import {
  Ban,
  BetweenHorizontalStart,
  Bot,
  Braces,
  Brain,
  CircleAlert,
  CircleDot,
  FilePen,
  FileText,
  FolderTree,
  GitCommitHorizontal,
  Hand,
  History,
  Info,
  Keyboard,
  ListTodo,
  NotebookPen,
  Power,
  Search,
  SquareTerminal,
  User,
  Wrench,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { own } from '../../../lib/own.ts'
import type { RolloutRow } from '../../../protocol/rollout.ts'

const tools: Record<string, ReactNode> = {
  exec_command: <SquareTerminal aria-hidden />,
  write_stdin: <Keyboard aria-hidden />,
  apply_patch: <FilePen aria-hidden />,
  read_file: <FileText aria-hidden />,
  list_dir: <FolderTree aria-hidden />,
  search_files: <Search aria-hidden />,
  update_plan: <ListTodo aria-hidden />,
  request_user_input: <Hand aria-hidden />,
  notes_write: <NotebookPen aria-hidden />,
  notes_append: <NotebookPen aria-hidden />,
  history_search: <History aria-hidden />,
  history_read_item: <History aria-hidden />,
  // Names that tools have in rollouts from elsewhere.
  shell: <SquareTerminal aria-hidden />,
  Bash: <SquareTerminal aria-hidden />,
  bash: <SquareTerminal aria-hidden />,
  Edit: <FilePen aria-hidden />,
  Write: <FilePen aria-hidden />,
  edit: <FilePen aria-hidden />,
  write: <FilePen aria-hidden />,
  Read: <FileText aria-hidden />,
  read: <FileText aria-hidden />,
  Grep: <Search aria-hidden />,
  Glob: <FolderTree aria-hidden />,
  TodoWrite: <ListTodo aria-hidden />,
}

function markerIcon(name: string): ReactNode {
  if (/hand_over|window/.test(name)) return <BetweenHorizontalStart aria-hidden className="text-brand" />
  if (/fail|error|lost|cut|retried|denied/.test(name)) return <CircleAlert aria-hidden className="text-bad" />
  if (/approval|input|wait/.test(name)) return <Hand aria-hidden className="text-wait" />
  if (/restart|sandbox/.test(name)) return <Power aria-hidden />
  if (/limit|budget|interrupt|stop/.test(name)) return <Ban aria-hidden className="text-wait" />
  if (/checkpoint/.test(name)) return <GitCommitHorizontal aria-hidden />
  if (/note/.test(name)) return <NotebookPen aria-hidden />
  return <Info aria-hidden />
}

/** What a row is, at a glance. */
export function RowIcon({ row }: { row: Pick<RolloutRow, 'kind' | 'name' | 'status'> }): ReactNode {
  switch (row.kind) {
    case 'turn':
      return null
    case 'window':
      return <BetweenHorizontalStart aria-hidden className="text-brand" />
    case 'step':
      return (
        <CircleDot aria-hidden className={row.status === 'running' ? 'animate-breathe text-brand' : ''} />
      )
    case 'message':
      return row.name === 'user_message' || row.name === 'question' ? (
        <User aria-hidden />
      ) : row.name === 'reasoning' ? (
        <Brain aria-hidden />
      ) : row.name === 'plan' ? (
        <ListTodo aria-hidden />
      ) : (
        <Bot aria-hidden />
      )
    case 'tool':
      return own(tools, row.name) ?? <Wrench aria-hidden />
    case 'marker':
      return markerIcon(row.name)
    case 'record':
      return <Braces aria-hidden />
  }
}
