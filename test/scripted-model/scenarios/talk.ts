// Answers without tools: plain words, slow words, thinking, an answer that never ends.
import type { Scenario } from '../scripted-model.ts'

const long = Array.from({ length: 40 }, (_, at) => `Sentence ${at + 1} of a long answer.`).join(' ')

const scenarios: Scenario[] = [
  { name: 'hello', rules: [{ reply: (view) => ({ text: `Hello. You said: ${view.lastUser}` }) }] },
  { name: 'slow', rules: [{ reply: { text: long, deltaChars: 8, pauseMs: 30 } }] },
  {
    name: 'think',
    rules: [{ reply: { reasoning: 'I weigh it up. '.repeat(8), text: 'Here is the **answer**.' } }],
  },
  { name: 'endless', rules: [{ reply: { text: 'I begin, and then', hang: true } }] },
]
export default scenarios
