// The least an agent can be: ask the model, parse the stream, run the call in a plain bash, send everything again. No
// sandbox, no log, no screen. What the real loop is held against.
import { spawn } from 'node:child_process'

type Item = Record<string, unknown>

const tools = [
  {
    type: 'function',
    name: 'exec_command',
    description: 'Runs a command.',
    parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] },
  },
]

const runBash = (command: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.stderr.on('data', (chunk) => {
      text += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve(`Exit code: ${code}\nOutput:\n${text}`))
  })

/** The output items of one answer, as soon as the stream says that it is complete. */
const ask = async (url: string, body: Item): Promise<Item[]> => {
  const response = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.body) throw new Error('no answer')
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  const items: Item[] = []
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return items
    rest += decoder.decode(value, { stream: true })
    const events = rest.split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '))
      if (data === undefined) continue
      const parsed = JSON.parse(data.slice(6)) as Item
      if (parsed.type === 'response.output_item.done') items.push(parsed.item as Item)
    }
  }
}

/** Rounds until the model answers without a call. `say` is the user's message. */
export const bareLoop = async (url: string, model: string, say: string): Promise<void> => {
  const input: Item[] = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: say }] }]
  for (;;) {
    const items = await ask(url, { model, stream: true, store: false, tools, input })
    input.push(...items)
    const calls = items.filter((item) => item.type === 'function_call')
    if (calls.length === 0) return
    for (const call of calls) {
      const { cmd } = JSON.parse(String(call.arguments)) as { cmd: string }
      input.push({ type: 'function_call_output', call_id: call.call_id, output: await runBash(cmd) })
    }
  }
}
