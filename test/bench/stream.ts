// From a chunk that leaves the provider to the message handler of a WebSocket client: through the SDK, the loop, the bus
// and the doors of a whole server. Provider, server and clients are three processes on one monotonic clock. And once to
// the document of a browser that shows the thread.
import { newId } from '../../src/protocol/ids.ts'
import { figure, median, progress, quantile } from '../setup/figures.ts'
import { startChild } from './parts/child.ts'
import { openScreen } from './parts/stream-screen.ts'
import { startWholeApp, type Tab } from './parts/whole-app.ts'

const now = (): number => Number(process.hrtime.bigint()) / 1_000_000
const loads = [
  { name: 'one', streams: 1, perSecond: 50, seconds: 10, goal: 5 },
  { name: 'twenty', streams: 20, perSecond: 100, seconds: 6, goal: 30 },
  { name: 'many', streams: 200, perSecond: 20, seconds: 8, goal: 60 },
]
const modelOf = ({ perSecond, seconds }: (typeof loads)[number]): string => `${perSecond}x${seconds}`
/** The first moments, in which code is compiled and connections are made, are left out. */
const warmMs = 1_500

const model = await startChild(new URL('./parts/ticking-model.ts', import.meta.url))
const app = await startWholeApp()
const tabs: Tab[] = []

type Followed = { send(): Promise<void>; done: Promise<void>; close(): void }

const follow = async (
  tab: Tab,
  threadId: string,
  onLag: (lag: number, at: number) => void,
): Promise<Followed> => {
  const done = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  const { head } = await tab.api.thread.get.query({ threadId })
  const live = tab.api.thread.live.subscribe(
    { threadId, after: head },
    {
      onData: (given) => {
        const at = now()
        const message = 'data' in given ? given.data : given
        if (message.type === 'ready') ready.resolve()
        if (message.type === 'deltas')
          for (const { text } of message.deltas)
            for (const said of text.trim().split(' ')) onLag(at - Number(said), at)
        if (message.type !== 'events') return
        const end = message.events.find(({ type }) => /^turn\.(completed|failed|limited)$/.test(type))
        if (end?.type === 'turn.completed') done.resolve()
        else if (end) done.reject(new Error(JSON.stringify(end.body)))
      },
      onError: (error) => done.reject(error),
    },
  )
  await ready.promise
  return {
    send: async () => {
      const op = { type: 'turn.start' as const, content: [{ type: 'text' as const, text: 'Go' }] }
      await tab.api.thread.submit.mutate({ threadId, clientId: newId('op'), op })
    },
    done: done.promise,
    close: () => live.unsubscribe(),
  }
}

const run = async (load: (typeof loads)[number], providerId: string): Promise<number[]> => {
  const lags: { lag: number; at: number }[] = []
  const followed: Followed[] = []
  for (let at = 0; at < load.streams; at += 1) {
    const tab = tabs[at] ?? app.tab()
    tabs[at] = tab
    const settings = { model: { providerId, model: modelOf(load) } }
    const { id } = await tab.api.thread.create.mutate({ projectId: app.projectId, settings })
    followed.push(await follow(tab, id, (lag, when) => lags.push({ lag, at: when })))
  }
  await Promise.all(followed.map(({ send }) => send()))
  const from = now() + warmMs
  await Promise.all(followed.map(({ done }) => done))
  for (const { close } of followed) close()
  const wanted = load.streams * load.perSecond * load.seconds
  if (lags.length !== wanted) throw new Error(`${lags.length} chunks of ${wanted} arrived`)
  return lags.flatMap(({ lag, at }) => (at < from ? [] : [lag]))
}

/** One thread in a browser; the share of what was said that came into the document is checked, not its order. */
const onScreen = async (load: (typeof loads)[number], providerId: string): Promise<void> => {
  const tab = app.tab()
  const screen = await openScreen(app.cookies)
  try {
    const settings = { model: { providerId, model: modelOf(load) } }
    const { id } = await tab.api.thread.create.mutate({ projectId: app.projectId, settings })
    await screen.show(`${app.url}/threads/${id}`)
    const followed = await follow(tab, id, () => undefined)
    const from = now() + warmMs
    await followed.send()
    await followed.done
    followed.close()
    const { lags, off } = await screen.read()
    const wanted = load.perSecond * load.seconds
    if (lags.length < wanted * 0.99) throw new Error(`${lags.length} of ${wanted} chunks came to the screen`)
    const late = lags.flatMap(({ lag, at }) => (at < from ? [] : [lag]))
    const method = `one thread, ${load.perSecond} chunks/s for ${load.seconds} s; provider's write to the document of Chromium, clocks within ${off.toFixed(1)} ms; n = ${late.length}`
    figure({
      name: 'stream.screen.p99',
      value: quantile(late, 0.99),
      unit: 'ms',
      method: `99th percentile: ${method}`,
    })
    figure({ name: 'stream.screen', value: median(late), unit: 'ms', method: 'its median' })
  } finally {
    await screen.close()
    await tab.close()
  }
}

try {
  const providerId = await app.provider('openai-chat', model.url, loads.map(modelOf))
  for (const load of loads) {
    progress(`${load.streams} × ${load.perSecond}/s`)
    const lags = await run(load, providerId)
    const method = `${load.streams} thread(s), ${load.perSecond} chunks/s each for ${load.seconds} s, one socket each; provider's write to the client's handler; n = ${lags.length}`
    figure({
      name: `stream.${load.name}.p99`,
      value: quantile(lags, 0.99),
      unit: 'ms',
      goal: { atMost: load.goal },
      method: `99th percentile: ${method}`,
    })
    figure({ name: `stream.${load.name}`, value: median(lags), unit: 'ms', method: 'its median' })
  }
  progress('to the screen')
  const [one] = loads
  if (one) await onScreen(one, providerId)
} finally {
  await Promise.all(tabs.map((tab) => tab.close()))
  await app.stop()
  await model.stop()
}
