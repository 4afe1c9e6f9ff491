'use client'
import { Hourglass } from 'lucide-react'
import { useState } from 'react'
import { filesOfCall } from '../../../client/edit-diff.ts'
import { blobPath } from '../../../client/rollout-body.ts'
import { argument, summarise, type ToolSummary } from '../../../client/tool-summary.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration } from '../../../i18n/units.ts'
import { formatBytes } from '../../../lib/format.ts'
import { visible } from '../../../lib/visible.ts'
import type { LongText, ToolCall } from '../../../protocol/item.ts'
import { ToolFailure } from '../../thread/items/tool-failure.tsx'
import { Terminal } from '../../thread/terminal.tsx'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'
import { LongBody, StoredBody } from '../body/body-view.tsx'
import { TextView } from '../body/text-view.tsx'
import { RowIcon } from '../list/row-icon.tsx'
import { Diff } from './diff.tsx'
import { Titled } from './titled.tsx'

/** One call: what it was given, what it gave back, and the whole of its output when the model got less. */
export function ToolView({ threadId, item }: { threadId: string; item: ToolCall }) {
  const t = useTranslations('rollout.tool')
  const summary = summarise(item, undefined, undefined)
  const { state } = item
  const output = 'output' in state ? state.output : undefined
  const full = 'full' in state ? state.full : undefined
  const detail = 'detail' in state ? state.detail : undefined
  const printed = detail?.type === 'command' ? detail.outputBlob : undefined
  return (
    <section className="min-w-0 rounded-lg border border-line" data-testid="tool-call">
      <header className="flex min-h-8 flex-wrap items-center gap-x-2 border-b border-line bg-subtle px-3 py-1 text-[13px]">
        <span className="text-faint [&_svg]:size-3.5">
          <RowIcon row={{ kind: 'tool', name: item.tool, status: 'none' }} />
        </span>
        <code className="font-medium">
          <Shown text={item.tool} />
        </code>
        <Outcome summary={summary} />
        <span className="flex-1" />
        <code className="max-w-40 truncate text-2xs text-faint" title={visible(item.callId)}>
          <Shown text={item.callId} />
        </code>
      </header>
      <div className="space-y-2.5 p-3">
        {'error' in state && (
          <p className="text-xs text-bad wrap-anywhere">
            <Shown text={state.error.message} />
          </p>
        )}
        <Titled title={t('given')}>
          <Given threadId={threadId} item={item} summary={summary} />
        </Titled>
        {output !== undefined && (
          <Titled title={full === undefined ? t('gave') : t('gaveCut')}>
            <Gave threadId={threadId} output={output} terminal={summary.kind === 'command'} />
          </Titled>
        )}
        {full !== undefined && <Whole threadId={threadId} hash={full} title={t('whole')} terminal={false} />}
        {printed !== undefined && detail?.type === 'command' && (
          <Whole
            threadId={threadId}
            hash={printed}
            title={t('printed', { size: formatBytes(detail.bytes) })}
            terminal
          />
        )}
      </div>
    </section>
  )
}

function Outcome({ summary }: { summary: ToolSummary }) {
  const t = useTranslations('tools')
  const durationOf = useDuration()
  const { phase, startedAt, endedAt } = summary
  return (
    <span className="flex items-center gap-2 text-xs text-faint tabular">
      {phase === 'failed' && <ToolFailure summary={summary} />}
      {phase === 'refused' && <span className="text-wait">{t('refused')}</span>}
      {phase === 'interrupted' && <span className="text-wait">{t('interrupted')}</span>}
      {(phase === 'running' || phase === 'waiting') && (
        <Hourglass aria-hidden className="size-3 text-brand" />
      )}
      {summary.background && <span className="text-brand">{t('background')}</span>}
      {startedAt !== null && endedAt !== null && <span>{durationOf(endedAt - startedAt)}</span>}
    </span>
  )
}

function Given({ threadId, item, summary }: { threadId: string; item: ToolCall; summary: ToolSummary }) {
  return (
    <LongBody threadId={threadId} value={item.arguments} look="json">
      {(text) => {
        if (summary.kind === 'command' && summary.object !== '')
          return <Command text={text} command={summary.object} />
        const command = shells.test(item.tool) ? bare(argument(text, ['cmd', 'command', 'script'])) : ''
        if (command !== '') return <Command text={text} command={command} />
        const files = filesOfCall(item.tool, text)
        if (files.length === 0) return null
        return (
          <div className="space-y-2">
            {files.map((file, at) => (
              <Diff
                // biome-ignore lint/suspicious/noArrayIndexKey: several patches may write one file.
                key={`${file.path}:${at}`}
                file={{ ...file, change: 'modified', binary: false }}
                numbers={false}
              />
            ))}
          </div>
        )
      }}
    </LongBody>
  )
}

/** Tools of other programs that run a command. */
const shells = /^(?:shell|shell_command|local_shell|bash|execute_bash|run_terminal_cmd)$/i

/** A command without the shell that was named to run it. */
const bare = (command: string): string => command.replace(/^(?:\/bin\/)?(?:ba|z)?sh -l?c /, '')

/** The command alone, and the other arguments when there are any. */
function Command({ text, command }: { text: string; command: string }) {
  const t = useTranslations('rollout.tool')
  const [open, setOpen] = useState(false)
  return (
    <div className="min-w-0 space-y-1">
      <TextView text={command} />
      {open ? (
        <TextView text={text} />
      ) : (
        <Button small look="quiet" className="-ml-2 h-6" onClick={() => setOpen(true)}>
          {t('arguments')}
        </Button>
      )}
    </div>
  )
}

function Gave({ threadId, output, terminal }: { threadId: string; output: LongText; terminal: boolean }) {
  const t = useTranslations('rollout.tool')
  if (output.text === '' && output.blob === undefined)
    return <p className="text-xs text-faint">{t('nothing')}</p>
  return (
    <LongBody threadId={threadId} value={output} look="json">
      {terminal && hasColour(output.text)
        ? (text) => <Terminal text={text} running={false} tty={false} />
        : undefined}
    </LongBody>
  )
}

const hasColour = (text: string): boolean => text.includes('\u001b[') || /[^\r\n]\r[^\n]/.test(text)

function Whole({
  threadId,
  hash,
  title,
  terminal,
}: {
  threadId: string
  hash: string
  title: string
  terminal: boolean
}) {
  const [open, setOpen] = useState(false)
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className={cn('rounded text-xs text-brand hover:underline', open && 'pb-1')}
      >
        {title}
      </button>
      {open && (
        <StoredBody path={blobPath(threadId, hash)} look="text">
          {(text) =>
            terminal && hasColour(text) && text.length < 500_000 ? (
              <Terminal text={text} running={false} tty={false} />
            ) : (
              <TextView text={text} />
            )
          }
        </StoredBody>
      )}
    </div>
  )
}
