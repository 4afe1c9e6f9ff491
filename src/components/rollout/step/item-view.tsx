'use client'
import { Bot, Brain, FileText, User } from 'lucide-react'
import type { ReactNode } from 'react'
import { blobPath } from '../../../client/rollout-body.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatBytes } from '../../../lib/format.ts'
import { visible } from '../../../lib/visible.ts'
import type { ContentPart, Item } from '../../../protocol/item.ts'
import { Shown } from '../../ui/shown.tsx'
import { At } from '../../ui/time.tsx'
import { LongBody } from '../body/body-view.tsx'
import { ToolView } from './tool-view.tsx'

type Props = { threadId: string; item: Item; at: number }

/** An item in full: words as prose, a call with everything that it was given and gave. */
export function ItemView({ threadId, item, at }: Props) {
  const t = useTranslations('rollout.item')
  switch (item.type) {
    case 'user_message':
      return (
        <Said icon={<User aria-hidden />} who={t('person')} at={at}>
          {item.content.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place.
            <Part key={index} threadId={threadId} part={part} />
          ))}
        </Said>
      )
    case 'agent_message':
      return (
        <Said icon={<Bot aria-hidden />} who={item.phase === 'final' ? t('answer') : t('agent')} at={at}>
          <LongBody threadId={threadId} value={item.text} look="prose" />
          {item.cut && <p className="text-xs text-wait">{t('cut')}</p>}
        </Said>
      )
    case 'reasoning':
      return (
        <Said icon={<Brain aria-hidden />} who={t('reasoning')} at={at}>
          {item.text.text === '' ? (
            <p className="text-xs text-faint">{item.hidden ? t('hidden') : t('noReasoning')}</p>
          ) : (
            <div className="text-soft">
              <LongBody threadId={threadId} value={item.text} look="prose" />
            </div>
          )}
        </Said>
      )
    case 'tool_call':
      return <ToolView threadId={threadId} item={item} />
    case 'plan':
      return (
        <Said icon={<FileText aria-hidden />} who={t('plan')} at={at}>
          <ul className="space-y-0.5 text-sm">
            {item.entries.map((entry, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity but their place.
              <li key={index} className={entry.status === 'completed' ? 'text-faint' : ''}>
                <span className="pr-1.5 text-xs text-faint">{t(`planStatus.${entry.status}`)}</span>
                <Shown text={entry.text} />
              </li>
            ))}
          </ul>
        </Said>
      )
    case 'question':
      return (
        <Said icon={<User aria-hidden />} who={t('question')} at={at}>
          {item.questions.map((question) => (
            <div key={question.id}>
              <p className="wrap-anywhere">
                <Shown text={question.text} />
              </p>
              <p className="text-sm text-soft wrap-anywhere">
                {item.answers?.[question.id]?.join(', ') ??
                  (item.withdrawn ? t('withdrawn') : t('unanswered'))}
              </p>
            </div>
          ))}
        </Said>
      )
    case 'notice':
      return (
        <p className="text-sm text-soft wrap-anywhere">
          <Shown text={item.text} />
        </p>
      )
    case 'hand_over':
      return <p className="text-sm text-soft">{t('handOver', { number: item.index + 1 })}</p>
  }
}

function Said({
  icon,
  who,
  at,
  children,
}: {
  icon: ReactNode
  who: string
  at: number
  children: ReactNode
}) {
  return (
    <section className="min-w-0">
      <h3 className="flex items-center gap-1.5 pb-1 text-xs font-medium text-faint [&_svg]:size-3.5">
        {icon}
        {who}
        <At at={at} className="font-normal" />
      </h3>
      <div className="min-w-0 space-y-2 wrap-anywhere">{children}</div>
    </section>
  )
}

function Part({ threadId, part }: { threadId: string; part: ContentPart }) {
  const t = useTranslations('rollout.item')
  if (part.type === 'text') return <LongBody threadId={threadId} value={part} look="prose" />
  const path = blobPath(threadId, part.blob)
  if (part.type === 'image')
    return (
      // biome-ignore lint/performance/noImgElement: a blob of the thread, served by its own door.
      <img
        src={path}
        alt={visible(part.name ?? t('image'))}
        loading="lazy"
        className="max-h-80 max-w-full rounded-md border border-line"
      />
    )
  return (
    <a href={path} download={part.name} className="inline-flex items-center gap-1.5 text-sm text-brand">
      <FileText aria-hidden className="size-3.5" />
      <span className="wrap-anywhere">
        <Shown text={part.name} />
      </span>
      <span className="text-xs text-faint">{formatBytes(part.bytes)}</span>
    </a>
  )
}
