// `command`: runs what a person asks for (`run: …`) in one call and repeats the output. `pair`: two commands side by
// side. `interrupted`: a command that takes an hour.
import type { Scenario } from '../scripted-model.ts'

const scenarios: Scenario[] = [
  {
    name: 'command',
    rules: [
      {
        when: { step: 0 },
        reply: (view) => ({
          text: 'Running it.',
          calls: [
            { name: 'exec_command', arguments: { cmd: view.lastUser.replace(/^\s*run:\s*/i, '') || 'true' } },
          ],
        }),
      },
      { reply: (view) => ({ text: `Output:\n${view.calls.at(-1)?.result ?? 'none'}` }) },
    ],
  },
  {
    name: 'pair',
    rules: [
      {
        when: { step: 0 },
        reply: {
          calls: [
            { name: 'exec_command', arguments: { cmd: 'sleep 0.3; echo first' } },
            { name: 'exec_command', arguments: { cmd: 'echo second' } },
          ],
        },
      },
      { reply: { text: 'Both are done.' } },
    ],
  },
  {
    name: 'interrupted',
    rules: [
      {
        when: { step: 0 },
        reply: {
          calls: [
            { name: 'exec_command', arguments: { cmd: 'echo begun; sleep 3600', yield_time_ms: 30000 } },
          ],
        },
      },
      { reply: { text: 'The command is over.' } },
    ],
  },
]
export default scenarios
