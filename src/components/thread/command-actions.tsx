'use client'
import { CornerDownLeft, Keyboard, Square } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../client/thread-people.ts'
import { useThreadStore } from '../../client/use-thread.ts'
import { useTranslations } from '../../i18n/translations.ts'
import type { CommandView } from '../../protocol/view.ts'
import { Button } from '../ui/button.tsx'

/** What a person can do with a command that runs: end it, or type into it. */
export function CommandActions({ command }: { command: CommandView }) {
  const t = useTranslations('commands')
  const store = useThreadStore()
  const [typing, setTyping] = useState(false)
  const [killing, setKilling] = useState(false)
  const may = useMay('driver')
  const kill = (): void => {
    setKilling(true)
    store.submit({ type: 'command.kill', commandId: command.id }).catch(() => setKilling(false))
  }
  if (!may) return null
  return (
    <span className="flex min-w-0 items-center gap-1">
      <Button small look="quiet" disabled={killing} onClick={kill}>
        <Square aria-hidden className="size-3" /> {killing ? t('killing') : t('kill')}
      </Button>
      {typing ? (
        <form
          className="flex min-w-0 items-center gap-1"
          onSubmit={(event) => {
            event.preventDefault()
            const input = event.currentTarget.elements.namedItem('text')
            if (!(input instanceof HTMLInputElement)) return
            void store.submit({ type: 'command.input', commandId: command.id, text: `${input.value}\n` })
            input.value = ''
          }}
        >
          <input
            name="text"
            ref={(input) => input?.focus()}
            aria-label={t('inputLabel')}
            autoComplete="off"
            onKeyDown={(event) => {
              if (event.key === 'Escape') {
                event.stopPropagation()
                setTyping(false)
              }
            }}
            className="h-6 w-44 min-w-0 rounded border border-line-strong bg-background px-1.5 font-mono text-xs text-foreground"
          />
          <Button small look="quiet" type="submit" aria-label={t('sendInput')}>
            <CornerDownLeft aria-hidden className="size-3" />
          </Button>
        </form>
      ) : (
        <Button small look="quiet" onClick={() => setTyping(true)}>
          <Keyboard aria-hidden className="size-3" /> {t('input')}
        </Button>
      )}
    </span>
  )
}
