'use client'
import { useRouter } from 'next/navigation'
import { type ReactNode, useEffect } from 'react'
import { factOf, signInPath } from '../../client/api.ts'
import { useListChanges, useMe } from '../../client/query.ts'
import { useReviewChanges } from '../../client/reviews.ts'
import { setUi, useUi } from '../../client/ui-store.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/dialog.tsx'
import { Skeleton, Trouble } from '../ui/states.tsx'
import { Toast } from '../ui/toast.tsx'
import { Palette } from './palette.tsx'
import { ShortcutSheet } from './shortcut-sheet.tsx'
import { Sidebar } from './sidebar.tsx'
import { useShortcuts } from './use-shortcuts.ts'

/** The frame around every page of a signed-in person: sidebar, palette, keys. */
export function AppFrame({ children }: { children: ReactNode }) {
  const t = useTranslations('frame')
  const router = useRouter()
  const me = useMe()
  const drawer = useUi((ui) => ui.drawer)
  const signedIn = me.data?.user != null
  useListChanges(signedIn)
  useReviewChanges(signedIn)
  useShortcuts()

  useEffect(() => {
    if (me.data && me.data.user === null) router.replace(me.data.setupNeeded ? '/setup' : signInPath())
  }, [me.data, router])

  return (
    <div className="flex h-dvh">
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-raised px-3 py-1 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        {t('skip')}
      </a>
      <div className="hidden w-65 shrink-0 border-r border-line bg-side md:block">
        {signedIn ? <Sidebar /> : <SidebarSkeleton />}
      </div>
      <Sheet
        open={drawer}
        onOpenChange={(open) => setUi({ drawer: open })}
        side="left"
        title={t('navigation')}
      >
        <Sidebar />
      </Sheet>
      <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col focus:outline-none">
        {me.isError ? (
          <div className="mx-auto w-full max-w-xl p-6">
            <Trouble title={t('unreachable')} fact={factOf(me.error)}>
              <Button small onClick={() => void me.refetch()}>
                {t('retry')}
              </Button>
            </Trouble>
          </div>
        ) : (
          signedIn && children
        )}
      </main>
      <Palette />
      <Toast />
      <ShortcutSheet />
    </div>
  )
}

function SidebarSkeleton() {
  return (
    <div className="space-y-2 p-3">
      <Skeleton className="h-7 w-28" />
      <Skeleton className="h-8" />
      <Skeleton className="mt-6 h-5 w-20" />
      <Skeleton className="h-7" />
      <Skeleton className="h-7" />
    </div>
  )
}
