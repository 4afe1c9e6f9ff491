/**
 * The browser's copy of one open thread: opened by projection and newest page, kept live by a subscription, healed after
 * gaps. It folds with the same fold as the server; it knows no component. Durable events and text in flight change two
 * different counters, so that a delta does not make the list of rows again.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { PresentPerson, ThreadRole, ThreadSharing } from '../protocol/access.ts'
import type { ErrorFact } from '../protocol/error.ts'
import { applyEvents, foldPage, prependView } from '../protocol/fold.ts'
import { newId } from '../protocol/ids.ts'
import { applyDeltas, applyDrafts, type LiveText, settle } from '../protocol/live-text.ts'
import type { Op, OpReceipt } from '../protocol/op.ts'
import type { LiveMessage, ThreadProjection } from '../protocol/thread.ts'
import { emptyView, type ThreadView } from '../protocol/view.ts'
import { api, factOf, shownFact } from './api.ts'
import { forgetPending, type PendingOp, readPending, rememberPending } from './pending.ts'

const firstPage = 200
const olderPage = 500

export type ThreadState = {
  threadId: string
  /** `ended`: it was open, and its reader may not read it any more. */
  phase: 'loading' | 'open' | 'failed' | 'ended'
  error: ErrorFact | null
  view: ThreadView
  live: LiveText
  /** Counts folded batches. */
  version: number
  /** Counts changes of text in flight. */
  liveVersion: number
  projection: ThreadProjection | null
  /** Head that was announced on subscribing; while the view is behind it, the thread is catching up. */
  target: number
  before: number | null
  loadingOlder: boolean
  pending: PendingOp[]
  /** The reader's own on this thread, as it is now. */
  role: ThreadRole | null
  /** Who sees it, and who has it open; null and nobody until it is said. */
  sharing: ThreadSharing | null
  present: PresentPerson[]
}

export type ThreadStore = StoreApi<ThreadState> & {
  open(): () => void
  loadOlder(): Promise<void>
  /** Sends an op with an id of its own; a failed one stays in `pending` and can be sent again. */
  submit(op: Op, clientId?: string): Promise<OpReceipt | null>
  /** Sends one that failed once more: the same op if nobody heard it, a new one if it was refused. */
  again(clientId: string): void
  dismiss(clientId: string): void
}

/** Calls back at most once per frame; a hidden tab has no frames, so there a timer does it. */
function perFrame(run: () => void): () => void {
  let waiting = false
  return () => {
    if (waiting) return
    waiting = true
    const now = (): void => {
      waiting = false
      run()
    }
    if (document.hidden) setTimeout(now, 50)
    else requestAnimationFrame(now)
  }
}

export function createThreadStore(threadId: string): ThreadStore {
  const store = createStore<ThreadState>(() => ({
    threadId,
    phase: 'loading',
    error: null,
    view: emptyView(),
    live: new Map(),
    version: 0,
    liveVersion: 0,
    projection: null,
    target: 0,
    before: null,
    loadingOlder: false,
    pending: [],
    role: null,
    sharing: null,
    present: [],
  }))
  const { getState, setState } = store
  let closed = true
  let subscription: { unsubscribe(): void } | undefined
  let people: { unsubscribe(): void } | undefined
  let askingDrafts = false
  let changed = { events: false, live: false }

  const done = (itemId: string): boolean => getState().view.items.get(itemId)?.completedAt !== undefined
  const flush = perFrame(() => {
    const { version, liveVersion } = getState()
    setState({
      version: changed.events ? version + 1 : version,
      liveVersion: changed.live ? liveVersion + 1 : liveVersion,
    })
    changed = { events: false, live: false }
  })

  const askDrafts = async (): Promise<void> => {
    if (askingDrafts) return
    askingDrafts = true
    try {
      applyDrafts(getState().live, await api.thread.drafts.query({ threadId }), done)
      changed.live = true
      flush()
    } catch {
      // The next piece that does not join asks again.
    } finally {
      setTimeout(() => {
        askingDrafts = false
      }, 500)
    }
  }

  const dropSeen = (): void => {
    const { view, pending } = getState()
    if (pending.length === 0) return
    const seen = new Set(view.queue?.value.map((entry) => entry.opId))
    for (const { item } of view.items.values()) {
      if (item.type === 'user_message' && item.opId !== undefined) seen.add(item.opId)
    }
    const rest = pending.filter((op) => !seen.has(op.clientId))
    if (rest.length < pending.length) setState({ pending: rest })
  }

  const receive = (message: LiveMessage): void => {
    const { view, live } = getState()
    switch (message.type) {
      case 'ready':
        setState({ target: message.head })
        applyDrafts(live, message.drafts, done)
        changed.live = true
        break
      case 'events': {
        const { gap } = applyEvents(view, message.events)
        settle(live, message.events)
        changed = { events: true, live: true }
        dropSeen()
        if (gap !== null) subscribe()
        break
      }
      case 'deltas':
        if (applyDeltas(live, message.deltas, done)) void askDrafts()
        changed.live = true
        break
      case 'projection':
        setState({ projection: message.projection })
        break
    }
    flush()
  }

  const subscribe = (): void => {
    subscription?.unsubscribe()
    if (closed) return
    subscription = api.thread.live.subscribe(
      { threadId, after: getState().view.lastSeq },
      {
        onData: (message) => receive('data' in message ? message.data : message),
        onError: (error) => failed(factOf(error)),
      },
    )
  }

  /** A stream ended: for good when the reader may not read the thread any more, and then nothing of it stays here. */
  const failed = (error: ErrorFact): void => {
    if (closed) return
    const isOver = error.code === 'not_found' || error.code === 'forbidden'
    if (isOver) leave()
    const version = getState().version + 1
    setState(isOver ? { phase: 'ended', error, view: emptyView(), live: new Map(), version } : { error })
  }

  const followPeople = (): void => {
    people?.unsubscribe()
    people = api.sharing.live.subscribe(
      { threadId },
      {
        onData: (change) =>
          change.type === 'presence'
            ? setState({ present: change.people })
            : setState({ sharing: change.sharing, role: change.sharing.role }),
        onError: (error) => failed(factOf(error)),
      },
    )
  }

  const leave = (): void => {
    subscription?.unsubscribe()
    people?.unsubscribe()
    subscription = undefined
    people = undefined
    setState({ present: [] })
  }

  const load = async (): Promise<void> => {
    try {
      const [projection, page] = await Promise.all([
        api.thread.get.query({ threadId }),
        api.thread.page.query({ threadId, before: null, limit: firstPage }),
      ])
      if (closed) return
      setState({
        phase: 'open',
        error: null,
        projection,
        view: foldPage(page.events),
        before: page.before,
        target: page.head,
        version: getState().version + 1,
        pending: readPending(threadId),
        role: projection.role,
      })
      dropSeen()
      subscribe()
      followPeople()
      for (const op of getState().pending) void submit(op.op, op.clientId)
    } catch (error) {
      if (!closed) setState({ phase: 'failed', error: factOf(error) })
    }
  }

  const update = (clientId: string, change: Partial<PendingOp> | null): void => {
    setState(({ pending }) => ({
      pending:
        change === null
          ? pending.filter((op) => op.clientId !== clientId)
          : pending.map((op) => (op.clientId === clientId ? { ...op, ...change } : op)),
    }))
  }

  // Messages leave one after the other: two that are on their way at once may change places.
  let sending: Promise<unknown> = Promise.resolve()
  const send = (op: Op, clientId: string, ordered: boolean): Promise<OpReceipt> => {
    const call = async (): Promise<OpReceipt> => {
      const receipt = await api.thread.submit.mutate({ threadId, clientId, op })
      return receipt.error ? { ...receipt, error: shownFact(receipt.error) } : receipt
    }
    if (!ordered) return call()
    const sent = sending.then(call)
    sending = sent.catch(() => undefined)
    return sent
  }

  const submit = async (op: Op, clientId = newId('op')): Promise<OpReceipt | null> => {
    const shown = op.type === 'turn.start' || op.type === 'turn.steer'
    if (shown) {
      const entry: PendingOp = { clientId, op, status: 'sending', at: Date.now(), error: null }
      setState(({ pending }) => ({
        pending: [...pending.filter((other) => other.clientId !== clientId), entry],
      }))
      rememberPending(threadId, entry)
    }
    try {
      const receipt = await send(op, clientId, shown)
      forgetPending(threadId, clientId)
      if (op.type === 'turn.steer' && receipt.error?.code === 'turn_mismatch') {
        // The turn ended while the words were on their way: they become the next message.
        update(clientId, null)
        return submit({ type: 'turn.start', content: op.content })
      }
      if (receipt.status === 'refused' && receipt.error)
        update(clientId, { status: 'refused', error: receipt.error })
      else if (receipt.status === 'cancelled') update(clientId, null)
      else update(clientId, { status: 'accepted' })
      dropSeen()
      return receipt
    } catch (error) {
      update(clientId, { status: 'failed', error: factOf(error) })
      if (!shown) throw error
      return null
    }
  }

  const dismiss = (clientId: string): void => {
    forgetPending(threadId, clientId)
    update(clientId, null)
  }

  return Object.assign(store, {
    open: () => {
      closed = false
      void load()
      return () => {
        closed = true
        leave()
      }
    },
    loadOlder: async () => {
      const { before, loadingOlder } = getState()
      if (before === null || loadingOlder) return
      setState({ loadingOlder: true })
      try {
        const page = await api.thread.page.query({ threadId, before, limit: olderPage })
        if (closed) return
        const view = prependView(foldPage(page.events), getState().view)
        setState({ view, before: page.before, version: getState().version + 1 })
      } catch (error) {
        setState({ error: factOf(error) })
      } finally {
        setState({ loadingOlder: false })
      }
    },
    submit,
    again: (clientId: string) => {
      const entry = getState().pending.find((op) => op.clientId === clientId)
      if (!entry) return
      if (entry.status === 'refused') dismiss(clientId)
      void submit(entry.op, entry.status === 'refused' ? newId('op') : clientId)
    },
    dismiss,
  })
}
