import { addUsage, noUsage, type ThreadEvent } from '../../src/protocol/event.ts'
import type { Item } from '../../src/protocol/item.ts'
import { noLandmarks } from '../../src/protocol/thread.ts'
import type { Resume } from '../../src/server/agent/types.ts'
import { nextLandmarks } from '../../src/server/runtime/landmarks.ts'
import type { Stage } from './edges.ts'

/** What a runner would read from the log of a turn that has no end. */
export const leftOver = (at: Pick<Stage, 'log'>): Resume => {
  const items = new Map<string, { item: Item; done: boolean }>()
  let open: Resume['openStep'] = null
  let usage = noUsage
  const commands = at.log.ofType('command.started').map(({ body }) => body.commandId)
  for (const event of at.log.events) {
    if (event.type === 'item.started') items.set(event.body.item.id, { item: event.body.item, done: false })
    if (event.type === 'item.completed') items.set(event.body.item.id, { item: event.body.item, done: true })
    if (event.type === 'step.started') open = { stepId: event.stepId ?? '', startedAt: 1_750_000_000_000 }
    if (event.type === 'step.completed' || event.type === 'step.cut' || event.type === 'step.failed') {
      open = null
      usage = addUsage(usage, event.body.usage)
    }
  }
  return {
    startedAt: 1_750_000_000_000,
    steps: at.log.steps.length,
    usage,
    costMicros: null,
    commands,
    items: [...items.values()],
    openStep: open,
  }
}

/** Whether the model asked for a window that was not opened, as the thread's state says it. */
export const wantsWindow = ({ events }: Stage['log']): boolean =>
  events.reduce(
    (known, event, at) => nextLandmarks(known, { ...event, seq: at + 1 } as ThreadEvent),
    noLandmarks,
  ).renewal !== null
