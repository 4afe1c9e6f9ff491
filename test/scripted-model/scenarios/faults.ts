// A provider at its worst. `fault:<name>` fails as named and answers on the next try where a retry may help.
import type { Reply, Scenario } from '../scripted-model.ts'

const error = (
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): Reply => ({
  error: { status, headers, body: { error: { type, code: type, message } } },
})

const FAULTS: Record<string, Reply> = {
  '401': error(401, 'invalid_api_key', 'Incorrect API key provided.'),
  '429': error(429, 'rate_limit_exceeded', 'Slow down.', { 'retry-after': '0' }),
  '500': error(500, 'server_error', 'The server had an error.'),
  '529': error(529, 'overloaded_error', 'Overloaded'),
  quota: error(429, 'insufficient_quota', 'You exceeded your current quota.'),
  overflow: error(400, 'context_length_exceeded', 'This model’s maximum context length is 1000 tokens.'),
  html: { error: { status: 502, body: '<html><head><title>502 Bad Gateway</title></head></html>' } },
  page: { raw: '<html>Sign in</html>' },
  'cut-head': { cut: 'head' },
  'cut-part': { text: 'This sentence is cut somewhere in the', cut: 'part' },
  'cut-call': {
    text: 'I run something.',
    calls: [{ name: 'exec_command', arguments: { cmd: 'echo kept' } }],
    cut: 'end',
  },
  overloaded: { text: 'I begin', streamError: { type: 'overloaded_error', message: 'Overloaded' } },
  'bad-json': { calls: [{ name: 'exec_command', arguments: '{"cmd": "echo' }] },
  'no-tool': { calls: [{ name: 'no_such_tool', arguments: {} }] },
  'same-id': {
    calls: [
      { name: 'exec_command', arguments: { cmd: 'echo one' }, callId: 'call_same' },
      { name: 'exec_command', arguments: { cmd: 'echo two' }, callId: 'call_same' },
    ],
  },
}

const LASTING = new Set(['401', 'quota', 'overflow', 'page'])

const scenario: Scenario = {
  name: 'fault',
  rules: [
    {
      reply: (view) => {
        const fault = FAULTS[view.arg]
        if (fault === undefined) return error(400, 'invalid_request_error', `no fault named ${view.arg}`)
        const first = view.attempt === 0 && view.step === 0
        return first || LASTING.has(view.arg) ? fault : { text: 'All is well again.' }
      },
    },
  ],
}
export default scenario
