// The scripted model as a process that keeps time: prints its URL, and answers each message of its parent with the
// times of all requests since the last one. Pauses are left out.
import { loadScenarios } from './load.ts'
import { type Sending, startScriptedModel } from './scripted-model.ts'

export type TimedRequest = Pick<Sending, 'headAt' | 'sentAt'> & { lastUser: string; bytes: number }

let times: TimedRequest[] = []
const model = await startScriptedModel({
  scenarios: await loadScenarios(),
  keep: 0,
  hurry: true,
  onSending: ({ view: { lastUser, size }, headAt, sentAt }) =>
    times.push({ lastUser, bytes: size, headAt, sentAt }),
})
process.on('message', () => {
  process.send?.(times)
  times = []
})
process.on('disconnect', () => process.exit(0))
console.log(model.url)
