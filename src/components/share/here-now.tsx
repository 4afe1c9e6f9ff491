'use client'
import { useOthersHere } from '../../client/thread-people.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { useList } from '../../i18n/units.ts'
import { visible } from '../../lib/visible.ts'
import { Avatar } from '../ui/avatar.tsx'
import { cn } from '../ui/cn.ts'
import { Tip } from '../ui/tip.tsx'

/** People that are drawn; the others are a number. */
const maxDrawn = 3

/** Who else has the thread open now; whoever writes has a ring. */
export function HereNow() {
  const t = useTranslations('people.presence')
  const list = useList()
  const others = useOthersHere()
  if (others.length === 0) return null
  const words = t('here', { count: others.length, names: list(others.map(({ name }) => visible(name))) })
  return (
    <Tip label={words} side="bottom">
      <span role="img" aria-label={words} className="flex shrink-0 items-center pl-1" data-testid="here-now">
        {others.slice(0, maxDrawn).map(({ userId, name, typing }) => (
          <span
            key={userId}
            className={cn(
              '-ml-1 inline-flex rounded-full border-2 border-background first:ml-0',
              typing && 'border-brand',
            )}
          >
            <Avatar userId={userId} name={name} size="small" />
          </span>
        ))}
        {others.length > maxDrawn && (
          <span className="pl-1 text-xs text-faint tabular">+{others.length - maxDrawn}</span>
        )}
      </span>
    </Tip>
  )
}

/** "Grace is writing …", in a line that is kept as long as somebody else is there, so that nothing jumps. */
export function WritingLine() {
  const t = useTranslations('people.presence')
  const list = useList()
  const others = useOthersHere()
  if (others.length === 0) return null
  const writing = others.filter(({ typing }) => typing)
  return (
    <p role="status" className="h-5 truncate px-1 text-xs text-soft" data-testid="writing">
      {writing.length > 0 &&
        t('writing', {
          count: writing.length,
          names: list(writing.map(({ name }) => visible(name))),
        })}
    </p>
  )
}
