// What the models of the journeys do. Each is a model of its own name; none needs a network.
import { demoScenario } from '../../src/server/providers/demo/demo-scenario.ts'
import windows from '../../test/scripted-model/scenarios/windows.ts'
import type { Scenario } from '../../test/scripted-model/scripted-model.ts'

const run = (cmd: string, yieldMs = 30_000) => ({
  name: 'exec_command',
  arguments: { cmd, yield_time_ms: yieldMs },
})

/** Works until it is told `release`, then says so; `say …` is answered at once. */
const waiting: Scenario = {
  name: 'waiting',
  rules: [
    { when: { user: '^say ' }, reply: (view) => ({ text: `Said: ${view.lastUser.slice(4)}` }) },
    { when: { user: '^release$' }, reply: { text: 'Finished, because I was told so.' } },
    {
      when: { step: 0 },
      reply: { text: 'I wait for a word.', calls: [run('sleep 0.5; echo tick $RANDOM$RANDOM')] },
    },
    // Each result differs, or it would count as going in circles.
    { reply: { calls: [run('sleep 0.5; echo tick $RANDOM$RANDOM')] } },
  ],
}

/** Answers at once, and never ends what it is asked to write after its answer: a hand-over document. */
const writer: Scenario = {
  name: 'writer',
  rules: [
    { when: { step: 0 }, reply: (view) => ({ text: `Said: ${view.lastUser}` }) },
    { reply: { text: 'The document begins, and', hang: true } },
  ],
}

/** Streams so slowly that a journey can do things in the middle; `count` numbered words. */
const paced: Scenario = {
  name: 'paced',
  rules: [
    {
      reply: () => ({
        text: Array.from({ length: 120 }, (_, at) => `word${at + 1}`).join(' '),
        deltaChars: 8,
        pauseMs: 40,
      }),
    },
  ],
}

const asker: Scenario = {
  name: 'asker',
  rules: [
    {
      when: { step: 0 },
      reply: {
        text: 'One thing I need to know.',
        calls: [
          {
            name: 'request_user_input',
            arguments: {
              questions: [
                {
                  id: 'colour',
                  question: 'Which colour should the button have?',
                  options: [{ label: 'Red', description: 'Like a warning' }, { label: 'Blue' }],
                },
              ],
            },
          },
        ],
      },
    },
    { reply: (view) => ({ text: `The answer was: ${view.calls.at(-1)?.result ?? 'none'}` }) },
  ],
}

const markdown = `# Hostile <img src=x onerror="document.title='pwned'">

<script>document.title='pwned'</script>

[a link](javascript:document.title='pwned') and [another](data:text/html,<script>alert(1)</script>)

![picture](javascript:alert(1)) <a href="javascript:document.title='pwned'" onclick="document.title='pwned'">raw</a>

<iframe src="javascript:parent.document.title='pwned'"></iframe>

The end of the hostile text.`

const hostileCommand = String.raw`printf '\033]8;;javascript:document.title=1\033\\ansi link\033]8;;\033\\ <img src=x onerror=document.title=2>\n<script>document.title=3</script>\n\033]0;evil title\007visible end\n'`

const hostile: Scenario = {
  name: 'hostile',
  rules: [
    { when: { step: 0 }, reply: { text: markdown, calls: [run(hostileCommand)] } },
    { reply: { text: markdown } },
  ],
}

/** A hundred steps of words and a command each. */
const many: Scenario = {
  name: 'many',
  rules: [
    {
      reply: (view) =>
        view.step >= 100
          ? { text: 'All hundred steps are done.' }
          : { text: `Step number ${view.step + 1} of many.`, calls: [run(`echo output ${view.step + 1}`)] },
    },
  ],
}

/** Two that do the same work alike up to a point: for what lays them side by side. */
const worker = (name: string, checks: string, last: string): Scenario => ({
  name,
  rules: [
    { when: { step: 0 }, reply: { text: 'I look at the files first.', calls: [run('echo src test')] } },
    { when: { step: 1 }, reply: { text: 'Now the tests.', calls: [run(checks)] } },
    { reply: { text: last } },
  ],
})
const careful = worker('careful', 'echo all 12 tests passed', 'Done: all tests pass.')
const quick = worker('quick', 'echo skipped the slow tests', 'Done, I think.')

export const scenarios: Scenario[] = [
  demoScenario,
  waiting,
  paced,
  writer,
  asker,
  hostile,
  many,
  windows,
  careful,
  quick,
]
