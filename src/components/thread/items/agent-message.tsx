'use client'
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { useLive } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { AgentMessage } from '../../../protocol/item.ts'
import { IconButton } from '../../ui/button.tsx'
import { LongText } from '../long-text.tsx'
import { Prose } from '../prose.tsx'

type AgentMessageProps = { item: AgentMessage; done: boolean }

export function AgentMessageItem({ item, done }: AgentMessageProps) {
  const t = useTranslations('items')
  const live = useLive(item.id, 'text')
  const streaming = !done
  return (
    <article aria-label={t('agentSays')} className="group relative px-1.5 py-1.5" data-item="agent_message">
      {streaming && live !== undefined ? (
        <Prose text={live.text} streaming />
      ) : (
        <LongText value={item.text}>{(text) => <Prose text={text} streaming={streaming} />}</LongText>
      )}
      {item.cut && <p className="pt-1 text-xs text-wait">{t('cut')}</p>}
      {done && (
        <div className="absolute top-1 right-0 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
          <CopyButton text={item.text.text} />
        </div>
      )}
    </article>
  )
}

export function CopyButton({ text }: { text: string }) {
  const t = useTranslations('common')
  const [copied, setCopied] = useState(false)
  return (
    <IconButton
      label={copied ? t('copied') : t('copy')}
      className="bg-background"
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => {
          setCopied(true)
          setTimeout(() => setCopied(false), 1_500)
        })
      }}
    >
      {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
    </IconButton>
  )
}
