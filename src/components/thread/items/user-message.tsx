'use client'
import { CornerDownRight, File } from 'lucide-react'
import { isShared, useSharing } from '../../../client/thread-people.ts'
import { useThread } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatBytes } from '../../../lib/format.ts'
import { visible } from '../../../lib/visible.ts'
import type { ContentPart, UserMessage } from '../../../protocol/item.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Shown } from '../../ui/shown.tsx'
import { At } from '../../ui/time.tsx'
import { LongText } from '../long-text.tsx'
import { useName, useOwnName } from '../names.tsx'

type UserMessageProps = { item: UserMessage; at: number }

export function UserMessageItem({ item, at }: UserMessageProps) {
  const t = useTranslations('items')
  const name = useName(item.actorId)
  const ownName = useOwnName(item.actorId)
  const together = isShared(useSharing())
  return (
    <article className="my-3 rounded-lg border border-line bg-subtle px-3.5 py-2.5">
      <header className="flex items-center gap-2 pb-0.5 text-xs text-faint">
        {together && ownName !== null && <Avatar userId={item.actorId} name={ownName} size="small" />}
        <span className="font-medium text-soft">{name}</span>
        {item.via === 'steer' && (
          <span className="inline-flex items-center gap-1">
            <CornerDownRight aria-hidden className="size-3" />
            {t('steered')}
          </span>
        )}
        <At at={at} className="ml-auto tabular" />
      </header>
      <Content parts={item.content} />
    </article>
  )
}

export function Content({ parts }: { parts: readonly ContentPart[] }) {
  const threadId = useThread((state) => state.threadId)
  return (
    <div className="space-y-2">
      {parts.map((part, index) => {
        const key = `${part.type}:${index}`
        if (part.type === 'text')
          return (
            <LongText key={key} value={part}>
              {(text) => (
                <p className="max-w-[72ch] whitespace-pre-wrap wrap-anywhere">
                  <Shown text={text} />
                </p>
              )}
            </LongText>
          )
        const href = `/t/${threadId}/b/${part.blob}`
        return part.type === 'image' ? (
          <a key={key} href={href} target="_blank" rel="noopener" className="inline-block">
            {/* biome-ignore lint/performance/noImgElement: blobs are served as they are, privately. */}
            <img
              src={href}
              alt={visible(part.name ?? '')}
              className="max-h-64 max-w-full rounded-md border border-line object-contain"
            />
          </a>
        ) : (
          <a
            key={key}
            href={href}
            download={part.name}
            className="inline-flex items-center gap-2 rounded-md border border-line bg-raised px-2 py-1 text-xs row-hover"
          >
            <File aria-hidden className="size-3.5 text-soft" />
            <Shown text={part.name} />
            <span className="text-faint">{formatBytes(part.bytes)}</span>
          </a>
        )
      })}
    </div>
  )
}
