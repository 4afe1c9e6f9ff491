'use client'
import type { SlashCommand } from '../../../client/slash.ts'
import { openPanel } from '../../../client/ui-store.ts'
import { useThreadStore } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { Op, OpReceipt } from '../../../protocol/op.ts'
import { Strategy } from '../../../protocol/settings.ts'
import { useFactLine } from '../../ui/fact.ts'
import type { CommandAnswer, SlashCommands } from './use-slash.ts'

const panels = ['window', 'notes', 'changes', 'plan'] as const

/** What can be typed after a slash in an open thread. `stop` is offered while a turn runs. */
export function useThreadCommands(stop: (() => void) | null): SlashCommands {
  const factLine = useFactLine()
  const t = useTranslations('commandsMenu')
  const strategies = useTranslations('strategies')
  const store = useThreadStore()
  const commands: SlashCommand[] = [
    { name: 'new-window', takes: 'line' },
    { name: 'strategy', takes: Strategy.options },
    ...panels.map((name): SlashCommand => ({ name, takes: 'nothing' })),
    ...(stop === null ? [] : [{ name: 'stop', takes: 'nothing' } as const]),
  ]
  const send = async (op: Op, said: string): Promise<CommandAnswer> => {
    const receipt: OpReceipt | null = await store.submit(op)
    return receipt?.error ? { problem: factLine(receipt.error) } : { said }
  }
  return {
    commands,
    run: async (name, rest) => {
      if (name === 'new-window')
        return send({ type: 'window.start', ...(rest === '' ? {} : { focus: rest }) }, t('newWindow'))
      if (name === 'strategy') {
        const strategy = Strategy.safeParse(rest)
        if (!strategy.success) return { problem: t('strategyMissing') }
        const said = strategies('changed', { name: strategies(`names.${strategy.data}`) })
        return send({ type: 'thread.settings', settings: { strategy: strategy.data } }, said)
      }
      if (name === 'stop' && stop !== null) {
        stop()
        return null
      }
      const panel = panels.find((known) => known === name)
      if (panel === undefined) return { problem: t('unknown', { name: `/${name}` }) }
      openPanel(panel, panel === 'window' ? { windowShown: null } : {})
      return null
    },
  }
}
