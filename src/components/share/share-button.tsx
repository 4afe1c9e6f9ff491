'use client'
import { Lock, Users } from 'lucide-react'
import { useEffect, useState } from 'react'
import { isShared, useSharing } from '../../client/thread-people.ts'
import { setUi } from '../../client/ui-store.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { Tip } from '../ui/tip.tsx'
import { ShareDialog } from './share-dialog.tsx'

/** Says who may see the thread, and opens what changes it. */
export function ShareButton({ title }: { title: string }) {
  const t = useTranslations('people.share')
  const sharing = useSharing()
  const [open, setOpen] = useState(false)
  useEffect(() => {
    setUi({ share: () => setOpen(true) })
    return () => setUi({ share: null })
  }, [])
  const shared = isShared(sharing)
  const state =
    sharing === null
      ? null
      : sharing.teamRole !== null
        ? t('withTeam')
        : shared
          ? t('withPeople', { count: sharing.people.length })
          : t('private')
  return (
    <>
      <Tip label={state ?? t('open')} side="bottom">
        <button
          type="button"
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
          className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 text-xs text-soft hover:bg-hover hover:text-foreground"
        >
          {shared ? <Users aria-hidden className="size-4" /> : <Lock aria-hidden className="size-3.5" />}
          <span className="max-md:sr-only">
            {shared ? (sharing?.teamRole == null ? t('shared') : t('sharedTeam')) : t('open')}
          </span>
          {shared && sharing?.teamRole == null && (
            <span aria-hidden className="tabular max-md:hidden">
              {sharing?.people.length}
            </span>
          )}
          <span className="sr-only">{state}</span>
        </button>
      </Tip>
      {open && <ShareDialog title={title} open={open} onOpenChange={setOpen} />}
    </>
  )
}
