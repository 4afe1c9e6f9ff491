'use client'
import { SquareTerminal } from 'lucide-react'
import { useMemo } from 'react'
import { useThread, useThreadStore } from '../../client/use-thread.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { runningCommands } from '../../protocol/fold.ts'
import type { CommandView } from '../../protocol/view.ts'
import { Shown } from '../ui/shown.tsx'
import { Clock } from './clock.tsx'
import { CommandActions } from './command-actions.tsx'

/** Commands that go on after their call was over: listed above the composer until they end. */
export function RunningCommands() {
  const t = useTranslations('commands')
  const store = useThreadStore()
  const version = useThread((state) => state.version)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is changed in place; its version says when.
  const commands = useMemo(() => {
    const { view } = store.getState()
    return runningCommands(view).filter(({ itemId }) => view.items.get(itemId)?.completedAt !== undefined)
  }, [store, version])
  if (commands.length === 0) return null
  return (
    <section aria-label={t('label')} className="mb-2 rounded-lg border border-line">
      <h2 className="px-3 pt-1.5 text-xs text-faint">{t('running', { count: commands.length })}</h2>
      <ul className="pb-1">
        {commands.map((command) => (
          <Running key={command.id} command={command} />
        ))}
      </ul>
    </section>
  )
}

function Running({ command }: { command: CommandView }) {
  return (
    <li className="flex h-8 items-center gap-2 px-3 text-xs">
      <SquareTerminal aria-hidden className="size-3.5 shrink-0 text-brand" />
      <code className="min-w-0 flex-1 truncate">
        <Shown text={command.started?.command ?? ''} />
      </code>
      {command.started !== undefined && (
        <span className="text-faint">
          <Clock since={command.started.at} />
        </span>
      )}
      <CommandActions command={command} />
    </li>
  )
}
