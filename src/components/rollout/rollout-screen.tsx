'use client'
import { useSearchParams } from 'next/navigation'
import { memo, useCallback, useEffect, useState } from 'react'
import { Group, Panel as ResizablePanel } from 'react-resizable-panels'
import { createFindStore } from '../../client/thread-find.ts'
import { RolloutProvider, useOpenRollout, useRollout, useRolloutStore } from '../../client/use-rollout.ts'
import { useTranslations } from '../../i18n/translations.ts'
import type { SearchHit } from '../../protocol/history.ts'
import { NotOpened } from '../shell/not-opened.tsx'
import { Button } from '../ui/button.tsx'
import { SplitHandle, useKeptLayout } from '../ui/split.tsx'
import { Skeleton } from '../ui/states.tsx'
import { useWide } from '../ui/use-wide.ts'
import { Detail } from './detail.tsx'
import { FindBar } from './find/find-bar.tsx'
import { FindProvider, useFindStore } from './find/use-find.ts'
import { Filters } from './list/filters.tsx'
import { RowList } from './list/row-list.tsx'
import { RolloutHeader } from './rollout-header.tsx'
import { Lanes } from './timeline/lanes.tsx'
import { useCopyLink } from './use-copy-link.ts'
import { useRolloutKeys } from './use-rollout-keys.ts'

/** One rollout: its timeline, its rows, and what of it is looked at. */
export function RolloutScreen({ threadId }: { threadId: string }) {
  const params = useSearchParams()
  const [first] = useState(() => params.toString())
  return <Opened threadId={threadId} first={first} />
}

/** The address changes with every move, and the page is not made again for it. */
const Opened = memo(function Opened({ threadId, first }: { threadId: string; first: string }) {
  const store = useOpenRollout(threadId, first)
  const [find] = useState(() => createFindStore(threadId))
  useEffect(() => {
    const { find: query } = store.getState().address
    if (query !== '') find.ask(query, 'words')
    return find.subscribe(({ open, query: now }, { query: before, open: was }) => {
      const wanted = open ? now : ''
      if (wanted !== (was ? before : '')) store.change({ find: wanted })
    })
  }, [store, find])
  return (
    <RolloutProvider value={store}>
      <FindProvider value={find}>
        <Loaded />
      </FindProvider>
    </RolloutProvider>
  )
})

function Loaded() {
  const t = useTranslations('rollout')
  const store = useRolloutStore()
  const error = useRollout((state) => state.error)
  const skeleton = useRollout((state) => state.skeleton)
  if (error !== null && skeleton === null)
    return (
      <NotOpened
        words={{
          title: t('title'),
          missing: t('missing'),
          failed: t('failed'),
          retry: t('again'),
          toAll: t('toAll'),
        }}
        error={error}
        toAll="/rollouts"
        onRetry={() => store.retry()}
      />
    )
  return <Frame />
}

function Frame() {
  const t = useTranslations('rollout')
  const store = useRolloutStore()
  const find = useFindStore()
  const skeleton = useRollout((state) => state.skeleton)
  const wide = useWide(900)
  const copy = useCopyLink()
  const onHit = useCallback(
    (hit: SearchHit) =>
      void store.go({ itemId: hit.itemId }, { push: true, tab: hit.stepId === null ? null : 'did' }),
    [store],
  )
  useRolloutKeys({ store, find, onHit, copy })
  return (
    <div className="flex h-full min-h-0 flex-1 flex-col">
      <RolloutHeader />
      {skeleton === null ? <LanesSkeleton /> : <Lanes skeleton={skeleton} />}
      {wide ? <Beside onHit={onHit} /> : <Below onHit={onHit} />}
      <span className="sr-only" role="status">
        {skeleton === null ? t('loading') : ''}
      </span>
    </div>
  )
}

type Hits = { onHit: (hit: SearchHit) => void }

function Rows({ onHit }: Hits) {
  return (
    <>
      <FindBar onHit={onHit} />
      <Filters />
      <RowList />
    </>
  )
}

function Beside({ onHit }: Hits) {
  const t = useTranslations('rollout')
  const { defaultLayout, onLayoutChanged } = useKeptLayout('rollout', ['rows', 'detail'])
  return (
    <Group
      orientation="horizontal"
      className="min-h-0 flex-1"
      defaultLayout={defaultLayout}
      onLayoutChanged={onLayoutChanged}
    >
      <ResizablePanel
        id="rows"
        defaultSize="400px"
        minSize="260px"
        maxSize="60%"
        className="flex min-w-0 flex-col"
      >
        <Rows onHit={onHit} />
      </ResizablePanel>
      <SplitHandle label={t('resize')} />
      <ResizablePanel id="detail" minSize="380px" className="flex min-w-0 flex-col">
        <Detail />
      </ResizablePanel>
    </Group>
  )
}

/** One column: the rows, and over them what is looked at. */
function Below({ onHit }: Hits) {
  const t = useTranslations('rollout')
  const store = useRolloutStore()
  const open = useRollout((state) => state.selected !== null || state.locating || state.lost !== null)
  const [whole, setWhole] = useState(false)
  const shown = open || whole
  return (
    <>
      <div className={shown ? 'hidden' : 'flex min-h-0 flex-1 flex-col'}>
        <Rows onHit={onHit} />
        <Button
          look="quiet"
          className="h-10 w-full shrink-0 rounded-none border-t border-line"
          onClick={() => setWhole(true)}
        >
          {t('overviewButton')}
        </Button>
      </div>
      {shown && (
        <div className="flex min-h-0 flex-1 flex-col">
          <Button
            look="quiet"
            className="h-10 w-full shrink-0 justify-start rounded-none border-b border-line"
            onClick={() => {
              setWhole(false)
              store.leave()
            }}
          >
            ← {t('backToRows')}
          </Button>
          <div className="min-h-0 flex-1">
            <Detail />
          </div>
        </div>
      )}
    </>
  )
}

function LanesSkeleton() {
  const t = useTranslations('rollout')
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 1_000)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="flex h-30 shrink-0 flex-col justify-center gap-2 border-b border-line px-4">
      {late ? (
        <p className="text-sm text-soft">{t('waiting')}</p>
      ) : (
        [0, 1, 2].map((n) => <Skeleton key={n} className="h-3" />)
      )}
    </div>
  )
}
