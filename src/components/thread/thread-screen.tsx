'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Group, Panel as ResizablePanel } from 'react-resizable-panels'
import { keys } from '../../client/query.ts'
import { createFindStore } from '../../client/thread-find.ts'
import { useMay, useThreadRole } from '../../client/thread-people.ts'
import { openPanel, panelBeside, setUi, useUi } from '../../client/ui-store.ts'
import { ThreadProvider, useOpenThread, useThread, useThreadStore } from '../../client/use-thread.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { FindProvider } from '../rollout/find/use-find.ts'
import { AccessEnded } from '../share/access-ended.tsx'
import { WritingLine } from '../share/here-now.tsx'
import { NotOpened } from '../shell/not-opened.tsx'
import { Sheet } from '../ui/dialog.tsx'
import { SplitHandle, useKeptLayout } from '../ui/split.tsx'
import { Skeleton } from '../ui/states.tsx'
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
  if (phase === 'ended') return <AccessEnded onRetry={() => store.open()} />
  if (phase === 'failed')
    return (
      <NotOpened
        words={{
          title: t('title'),
          missing: t('missing'),
          failed: t('loadFailed'),
          retry: t('retry'),
          toAll: t('toThreads'),
        }}
        error={error}
        toAll="/"
        onRetry={() => store.open()}
      />
    )
  return <Frame />
}

/** What lists say of the reader's role on this thread is read again when it changes. */
function useFreshRole(): void {
  const queries = useQueryClient()
  const role = useThreadRole()
  const before = useRef(role)
  useEffect(() => {
    if (before.current !== null && before.current !== role)
      void queries.invalidateQueries({ queryKey: keys.threads })
    before.current = role
  }, [queries, role])
}

function Frame() {
  const t = useTranslations('panel')
  const wide = useWide(panelBeside)
  const panelOpen = useUi((ui) => ui.panelOpen)
  const sheet = useUi((ui) => ui.sheet)
  const { defaultLayout, onLayoutChanged } = useKeptLayout('thread', ['thread', 'panel'])
  useOffers()
  useFreshRole()
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
          <SplitHandle label={t('resize')} />
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
        <WritingLine />
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
  const may = useMay('driver')
  const turnId = useThread((state) =>
    state.projection !== null && ['working', 'waiting_for_person'].includes(state.projection.status)
      ? state.projection.turnId
      : null,
  )
  useEffect(() => {
    if (!may) return
    // Whether it is refused, and why, shows where a line on what matters can be given, too.
    setUi({ newWindow: () => openPanel('window', { windowShown: null }) })
    return () => setUi({ newWindow: null, windowShown: null })
  }, [may])
  useEffect(() => {
    if (turnId === null || !may) return
    setUi({ stop: () => void store.submit({ type: 'turn.interrupt', turnId }).catch(() => undefined) })
    return () => setUi({ stop: null })
  }, [store, turnId, may])
}
