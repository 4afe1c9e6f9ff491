// `rounds:N` makes N tool rounds of `echo rK`, then answers. `stream:N` streams N deltas, one each `pause` ms
// (`stream:50@20`; without it as fast as can be).
import type { Scenario } from '../scripted-model.ts'

const scenarios: Scenario[] = [
  {
    name: 'rounds',
    rules: [
      {
        reply: (view) => {
          const wanted = Number(view.arg || 3)
          if (view.step >= wanted) return { text: `done after ${view.step} rounds` }
          return { calls: [{ name: 'exec_command', arguments: { cmd: `echo r${view.step}` } }] }
        },
      },
    ],
  },
  {
    name: 'stream',
    rules: [
      {
        reply: (view) => {
          const [count, pause] = view.arg.split('@').map(Number)
          const text = Array.from({ length: count || 50 }, (_, at) => `${String(at).padStart(7, ' ')} `).join(
            '',
          )
          return { text, deltaChars: 8, ...(pause === undefined ? {} : { pauseMs: pause }) }
        },
      },
    ],
  },
]
export default scenarios
