'use client'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../client/api.ts'
import type { ToolSummary } from '../../../client/tool-summary.ts'
import { useLive, useThread } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatBytes } from '../../../lib/format.ts'
import type { ToolCall } from '../../../protocol/item.ts'
import { Button } from '../../ui/button.tsx'
import { Shown } from '../../ui/shown.tsx'
import { CommandActions } from '../command-actions.tsx'
import { Terminal } from '../terminal.tsx'
import { CopyButton } from './agent-message.tsx'

/** Bytes read at once from a finished command; more on demand. */
const pageBytes = 131_072

type CommandBodyProps = { item: ToolCall; summary: ToolSummary; low: boolean }

/** The command, its terminal (live while it runs), its exit and its whole output. */
export function CommandBody({ item, summary, low }: CommandBodyProps) {
  const t = useTranslations('tools')
  const threadId = useThread((state) => state.threadId)
  const command = useThread((state) =>
    state.version >= 0 && summary.commandId !== null ? state.view.commands.get(summary.commandId) : undefined,
  )
  const live = useLive(command?.itemId ?? item.id, 'output')
  const running = (summary.phase === 'running' || summary.background) && command?.exited === undefined
  const [all, setAll] = useState(false)
  // Live output that is here from its first byte needs no second reading.
  const complete = live !== undefined && live.from === 0
  const stored = useQuery({
    queryKey: ['output', threadId, summary.commandId, running, all],
    enabled: summary.commandId !== null && (!complete || all),
    staleTime: running ? 0 : Number.POSITIVE_INFINITY,
    queryFn: () => readOutput(threadId, summary.commandId ?? '', all),
  })
  const text = complete && !all ? live.text : (stored.data?.text ?? live?.text ?? '')
  const bytes = command?.exited?.bytes ?? stored.data?.total ?? live?.to ?? 0
  const blob = command?.exited?.outputBlob
  const partial = !all && !complete && stored.data !== undefined && stored.data.from > 0
  return (
    <div className="group/command space-y-1.5">
      {summary.object.includes('\n') || summary.object.length > 80 ? (
        <pre className="max-h-40 overflow-auto rounded-md border border-line bg-subtle px-3 py-1.5 text-[12.5px] leading-[18px] whitespace-pre-wrap wrap-anywhere">
          <Shown text={summary.object} />
        </pre>
      ) : null}
      {partial && (
        <Button small look="quiet" onClick={() => setAll(true)}>
          {t('earlierOutput', { size: formatBytes(stored.data?.from ?? 0) })}
        </Button>
      )}
      <Terminal text={text} running={running} tty={command?.started?.tty ?? false} low={low} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-faint">
        {command?.exited ? (
          <span>
            {command.exited.status === 'lost'
              ? t('lost')
              : command.exited.signal !== null
                ? t('signal', { signal: command.exited.signal })
                : t('exit', { code: command.exited.exitCode ?? 0 })}
          </span>
        ) : null}
        <span className="tabular">{formatBytes(bytes)}</span>
        {blob !== undefined && (
          <a
            href={`/t/${threadId}/b/${blob}`}
            download
            className="inline-flex items-center gap-1 hover:text-foreground"
          >
            <Download aria-hidden className="size-3" /> {t('raw')}
          </a>
        )}
        {running && command !== undefined && <CommandActions command={command} />}
        <span className="ml-auto opacity-0 group-focus-within/command:opacity-100 group-hover/command:opacity-100">
          <CopyButton text={summary.object} />
        </span>
      </div>
    </div>
  )
}

/** The last part of an output, or (`all`) as much as 4 MB of it, as text. */
async function readOutput(threadId: string, commandId: string, all: boolean) {
  const decode = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  const read = (from: number, limit: number) =>
    api.thread.commandOutput.query({ threadId, commandId, from, limit })
  const first = await read(0, pageBytes)
  const total = first.total
  const start = all ? Math.max(0, total - 4_194_304) : Math.max(0, total - pageBytes)
  const parts: Uint8Array[] = start === 0 ? [decode(first.base64)] : []
  let at = start === 0 ? (parts[0]?.length ?? 0) : start
  while (at < total) {
    const next = await read(at, pageBytes)
    const bytes = decode(next.base64)
    if (bytes.length === 0) break
    parts.push(bytes)
    at = next.from + bytes.length
  }
  const decoder = new TextDecoder()
  const text = parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode()
  return { text, total, from: start }
}
