'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Group, Panel as ResizablePanel, Separator, useDefaultLayout } from 'react-resizable-panels'
import { createFindStore } from '../../client/rollout-find.ts'
import { openPanel, panelBeside, setUi, useUi } from '../../client/ui-store.ts'
import { ThreadProvider, useOpenThread, useThread, useThreadStore } from '../../client/use-thread.ts'
import { FindProvider } from '../rollout/find/use-find.ts'
import { Bar } from '../shell/bar.tsx'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/dialog.tsx'
import { Skeleton, Trouble } from '../ui/states.tsx'
import { useWide } from '../ui/use-wide.ts'
import { Composer } from './composer/composer.tsx'
import { QueuePanel } from './composer/queue-panel.tsx'
import { OpenedProvider } from './opened.tsx'
import { Panel } from './panel/panel.tsx'
import { RunningCommands } from './running-commands.tsx'
import { ThreadFind } from './thread-find.tsx'
import { ThreadHeader } from './thread-header.tsx'
import { ThreadList } from './thread-list.tsx'
import { WritingDocument } from './window/writing-document.tsx'

/** One open thread: header, list, composer, panel. */
export function ThreadScreen({ threadId }: { threadId: string }) {
  const store = useOpenThread(threadId)
  const [find] = useState(() => createFindStore(threadId))
  return (
    <ThreadProvider value={store}>
      <OpenedProvider>
        <FindProvider value={find}>
          <Loaded />
        </FindProvider>
      </OpenedProvider>
    </ThreadProvider>
  )
}

function Loaded() {
  const t = useTranslations('thread')
  const phase = useThread((state) => state.phase)
  const error = useThread((state) => state.error)
  const store = useThreadStore()
  const missing = error?.code === 'not_found'
  if (phase === 'failed')
    return (
      <>
        <Bar>
          <h1 className="text-sm font-semibold">{t('title')}</h1>
        </Bar>
        <div className="mx-auto w-full max-w-xl p-6">
          <Trouble
            title={missing ? t('missing') : t('loadFailed')}
            detail={missing ? (error?.next ?? '') : `${error?.message ?? ''} ${error?.next ?? ''}`}
          >
            {!missing && (
              <Button small onClick={() => store.open()}>
                {t('retry')}
              </Button>
            )}
            <Link href="/" className="inline-flex h-7 items-center px-2 text-xs text-brand">
              {t('toThreads')}
            </Link>
          </Trouble>
        </div>
      </>
    )
  return <Frame />
}

function Frame() {
  const t = useTranslations('panel')
  const wide = useWide(panelBeside)
  const panelOpen = useUi((ui) => ui.panelOpen)
  const sheet = useUi((ui) => ui.sheet)
  const { defaultLayout, onLayoutChanged } = useDefaultLayout({
    id: 'baton.thread',
    panelIds: ['thread', 'panel'],
    storage: typeof localStorage === 'undefined' ? memory : localStorage,
  })
  useOffers()
  if (!wide)
    return (
      <>
        <Column />
        <Sheet open={sheet} onOpenChange={(open) => setUi({ sheet: open })} side="bottom" title={t('label')}>
          <Panel />
        </Sheet>
      </>
    )
  return (
    <Group
      orientation="horizontal"
      className="min-h-0 flex-1"
      defaultLayout={defaultLayout}
      onLayoutChanged={onLayoutChanged}
    >
      <ResizablePanel id="thread" minSize="420px" className="flex min-w-0 flex-col">
        <Column />
      </ResizablePanel>
      {panelOpen && (
        <>
          <Separator
            aria-label={t('resize')}
            className="relative w-px bg-line transition-colors duration-100 after:absolute after:inset-y-0 after:-inset-x-1 data-[separator=active]:bg-brand data-[separator=hover]:bg-brand"
          />
          <ResizablePanel
            id="panel"
            defaultSize="440px"
            minSize="300px"
            maxSize="60%"
            className="flex min-w-0 flex-col"
          >
            <Panel />
          </ResizablePanel>
        </>
      )}
    </Group>
  )
}

const memory = { getItem: () => null, setItem: () => undefined }

function Column() {
  const loading = useThread((state) => state.phase === 'loading')
  return (
    <div className="flex h-full min-h-0 flex-1 flex-col">
      <ThreadHeader />
      <ThreadFind />
      {loading ? <ListSkeleton /> : <ThreadList />}
      <div className="mx-auto w-full max-w-[860px] px-3 pb-3 md:px-6 md:pb-4">
        <WritingDocument />
        <RunningCommands />
        <QueuePanel />
        <Composer />
      </div>
    </div>
  )
}

function ListSkeleton() {
  const t = useTranslations('thread')
  return (
    <div
      className="mx-auto w-full max-w-[860px] flex-1 space-y-3 px-6 py-6"
      role="status"
      aria-label={t('loading')}
    >
      <Skeleton className="h-14" />
      <Skeleton className="h-5 w-2/3" />
      <Skeleton className="h-5 w-1/2" />
      <Skeleton className="h-5 w-3/5" />
    </div>
  )
}

/** Offers keys and palette what can be done here: a new window, and "stop" while a turn runs. */
function useOffers(): void {
  const store = useThreadStore()
  const turnId = useThread((state) =>
    state.projection !== null && ['working', 'waiting_for_person'].includes(state.projection.status)
      ? state.projection.turnId
      : null,
  )
  useEffect(() => {
    // Whether it is refused, and why, shows where a line on what matters can be given, too.
    setUi({ newWindow: () => openPanel('window', { windowShown: null }) })
    return () => setUi({ newWindow: null, windowShown: null })
  }, [])
  useEffect(() => {
    if (turnId === null) return
    setUi({ stop: () => void store.submit({ type: 'turn.interrupt', turnId }).catch(() => undefined) })
    return () => setUi({ stop: null })
  }, [store, turnId])
}
