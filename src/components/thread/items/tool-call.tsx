'use client'
import {
  Circle,
  CircleSlash,
  FilePen,
  FileText,
  FolderTree,
  Gauge,
  History,
  Hourglass,
  Keyboard,
  NotebookPen,
  NotebookText,
  PanelTopOpen,
  Search,
  SquareTerminal,
  Wrench,
} from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { summarise, type ToolKind, type ToolSummary } from '../../../client/tool-summary.ts'
import { useLive, useThread } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration } from '../../../i18n/units.ts'
import { formatClock } from '../../../lib/format.ts'
import type { ToolCall } from '../../../protocol/item.ts'
import { Shown } from '../../ui/shown.tsx'
import { useTick } from '../clock.tsx'
import { useOpened } from '../opened.tsx'
import { CommandBody } from './command-body.tsx'
import { Line } from './line.tsx'
import { PatchBody } from './patch-body.tsx'
import { TextBody } from './text-body.tsx'
import { ToolFailure } from './tool-failure.tsx'

const icons: Record<ToolKind, ReactNode> = {
  command: <SquareTerminal aria-hidden />,
  input: <Keyboard aria-hidden />,
  patch: <FilePen aria-hidden />,
  read: <FileText aria-hidden />,
  list: <FolderTree aria-hidden />,
  search: <Search aria-hidden />,
  plan: <Circle aria-hidden />,
  question: <Circle aria-hidden />,
  noteRead: <NotebookText aria-hidden />,
  noteWrite: <NotebookPen aria-hidden />,
  history: <History aria-hidden />,
  window: <PanelTopOpen aria-hidden />,
  windowLeft: <Gauge aria-hidden />,
  other: <Wrench aria-hidden />,
}

export function useToolSummary(item: ToolCall): ToolSummary {
  const live = useLive(item.id, 'arguments')
  const command = useThread((state) => {
    if (state.version < 0) return undefined
    const id =
      'detail' in item.state && item.state.detail?.type === 'command' ? item.state.detail.commandId : null
    if (id !== null) return state.view.commands.get(id)
    if (item.tool !== 'exec_command') return undefined
    for (const candidate of state.view.commands.values()) if (candidate.itemId === item.id) return candidate
    return undefined
  })
  return summarise(item, command, item.state.status === 'proposed' ? live?.text : undefined)
}

/** True once something has been going on for a moment, so that what is over at once opens nothing. */
function useLasting(active: boolean, startedAt: number | null, delayMs: number): boolean {
  const [lasting, setLasting] = useState(false)
  useEffect(() => {
    if (!active || startedAt === null) {
      setLasting(false)
      return
    }
    const timer = setTimeout(() => setLasting(true), Math.max(0, startedAt + delayMs - Date.now()))
    return () => clearTimeout(timer)
  }, [active, startedAt, delayMs])
  return lasting
}

export function ToolCallItem({ item }: { item: ToolCall }) {
  const t = useTranslations('tools')
  const summary = useToolSummary(item)
  const running = summary.phase === 'running'
  const lasting = useLasting(running && summary.kind === 'command', summary.startedAt, 1_200)
  const [open, setOpen] = useOpened(item.id, lasting)
  const verb = t(`verbs.${summary.kind}.${summary.phase}`)
  return (
    <Line
      testId="tool_call"
      icon={
        summary.phase === 'refused' ? (
          <CircleSlash aria-hidden className="text-wait" />
        ) : summary.phase === 'waiting' ? (
          <Hourglass aria-hidden className="text-wait" />
        ) : (
          icons[summary.kind]
        )
      }
      open={open}
      onOpenChange={setOpen}
      aside={<Outcome summary={summary} item={item} />}
      body={<Body item={item} summary={summary} low={lasting} />}
    >
      <span className={running || summary.phase === 'proposed' ? 'text-foreground' : 'text-soft'}>
        {verb}
      </span>
      <code className="min-w-0 truncate text-[12.5px]">
        <Shown text={summary.object.split('\n', 1)[0] ?? ''} />
        {summary.object.includes('\n') && ' …'}
      </code>
    </Line>
  )
}

function Outcome({ summary, item }: { summary: ToolSummary; item: ToolCall }) {
  const t = useTranslations('tools')
  const durationOf = useDuration()
  const { phase, startedAt, endedAt } = summary
  const detail = 'detail' in item.state ? item.state.detail : undefined
  if (phase === 'running' && startedAt !== null) return <Running item={item} startedAt={startedAt} />
  const duration =
    startedAt !== null && endedAt !== null && endedAt - startedAt >= 100
      ? durationOf(endedAt - startedAt)
      : null
  const changes = detail?.type === 'patch' && (
    <span>
      <span className="text-good">+{detail.files.reduce((sum, file) => sum + file.additions, 0)}</span>{' '}
      <span className="text-bad">−{detail.files.reduce((sum, file) => sum + file.deletions, 0)}</span>
    </span>
  )
  return (
    <>
      {phase === 'failed' && <ToolFailure summary={summary} />}
      {phase === 'refused' && <span className="text-wait">{t('refused')}</span>}
      {phase === 'interrupted' && <span>{t('interrupted')}</span>}
      {summary.background && <span className="text-brand">{t('background')}</span>}
      {changes}
      {detail?.type === 'search' && <span>{t('matches', { count: detail.matches })}</span>}
      {duration}
    </>
  )
}

function Running({ item, startedAt }: { item: ToolCall; startedAt: number }) {
  const t = useTranslations('tools')
  const now = useTick()
  const to = useLive(item.id, 'output')?.to ?? 0
  const [last, setLast] = useState({ to, at: Date.now() })
  if (last.to !== to) setLast({ to, at: Date.now() })
  const quiet = Math.floor((now - last.at) / 1_000)
  return (
    <>
      {quiet >= 4 && <span>{t('quiet', { seconds: quiet })}</span>}
      <span className="text-brand">{formatClock(now - startedAt)}</span>
    </>
  )
}

function Body({ item, summary, low }: { item: ToolCall; summary: ToolSummary; low: boolean }) {
  if (summary.kind === 'command' && item.state.status !== 'refused')
    return <CommandBody item={item} summary={summary} low={low} />
  if (summary.kind === 'patch' && item.state.status !== 'refused') return <PatchBody item={item} />
  return <TextBody item={item} />
}
