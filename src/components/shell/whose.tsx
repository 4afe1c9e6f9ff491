'use client'
import { useMe, useNames } from '../../client/query.ts'
import { setUi, useUi, type Whose, whoseThreads } from '../../client/ui-store.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { visible } from '../../lib/visible.ts'
import type { ThreadRole } from '../../protocol/access.ts'
import type { ThreadProjection } from '../../protocol/thread.ts'
import { Avatar } from '../ui/avatar.tsx'
import { cn } from '../ui/cn.ts'

/** Whose a thread in a list is, when it is not the reader's own. */
export type Owner = { userId: string; name: string; role: ThreadRole | null }

type Listed = {
  threads: ThreadProjection[]
  /** Whether any of the list is somebody else's, so that there is something to choose. */
  isMixed: boolean
  ownerOf: (thread: ThreadProjection) => Owner | null
}

/** The part of a list that was chosen, with the owners of what is shared. */
export function useWhose(
  page: { threads: ThreadProjection[]; roles: Record<string, ThreadRole | null> } | undefined,
): Listed {
  const t = useTranslations('names')
  const me = useMe().data?.user?.id
  const whose = useUi((ui) => ui.whose)
  const all = page?.threads ?? []
  const isMine = ({ ownerId }: ThreadProjection): boolean => me === undefined || ownerId === me
  const names = useNames(all.filter((thread) => !isMine(thread)).map(({ ownerId }) => ownerId))
  const isMixed = all.some((thread) => !isMine(thread))
  return {
    threads: isMixed && whose !== 'all' ? all.filter((thread) => isMine(thread) === (whose === 'mine')) : all,
    isMixed,
    ownerOf: (thread) =>
      isMine(thread)
        ? null
        : {
            userId: thread.ownerId,
            name: names.get(thread.ownerId) ?? t('someone'),
            role: page?.roles[thread.id] ?? null,
          },
  }
}

/** All threads, one's own, or what others share. */
export function WhoseChoice({ name, className }: { name: string; className?: string }) {
  const t = useTranslations('people.whose')
  const chosen = useUi((ui) => ui.whose)
  return (
    <fieldset className={cn('flex gap-0.5 rounded-md', className)}>
      <legend className="sr-only">{t('label')}</legend>
      {whoseThreads.map((whose: Whose) => (
        <label
          key={whose}
          className={cn(
            'inline-flex h-6.5 cursor-pointer items-center rounded-md px-2 text-xs text-soft row-hover has-focus-visible:outline-2 has-focus-visible:outline-brand',
            chosen === whose && 'bg-hover font-medium text-foreground',
          )}
        >
          <input
            type="radio"
            name={name}
            checked={chosen === whose}
            onChange={() => setUi({ whose })}
            className="sr-only"
          />
          {t(whose)}
        </label>
      ))}
    </fieldset>
  )
}

/** The owner of a shared thread, as letters; in words for those who hover or hear. */
export function OwnerMark({ owner }: { owner: Owner }) {
  const words = useOwnerWords()(owner)
  return (
    <span title={words} className="inline-flex shrink-0">
      <Avatar userId={owner.userId} name={owner.name} size="small" />
      <span className="sr-only">{words}</span>
    </span>
  )
}

/** "Shared by Ada · you are a viewer". */
export function useOwnerWords(): (owner: Owner) => string {
  const t = useTranslations('people')
  return ({ name, role }) =>
    role === null || role === 'owner'
      ? t('whose.by', { name: visible(name) })
      : t('whose.byAs', { name: visible(name), role: t(`threadRoles.names.${role}`) })
}
