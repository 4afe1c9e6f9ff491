// A model that says what time it is: OpenAI Chat Completions whose every chunk is the monotonic clock at the moment it
// was written, `<chunks a second>x<seconds>` as its name. A process of its own; prints its URL.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const stamp = (): string => `${(Number(process.hrtime.bigint()) / 1_000_000).toFixed(3)} `

const event = (delta: Record<string, unknown>, stop: string | null): string => {
  const choice = { index: 0, delta, finish_reason: stop }
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 0, model: 'clock', choices: [choice] }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

const tick = (response: ServerResponse, perSecond: number, seconds: number): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(event({ role: 'assistant', content: '' }, null))
  let left = perSecond * seconds
  const timer = setInterval(() => {
    if (left > 0) response.write(event({ content: stamp() }, null))
    else {
      clearInterval(timer)
      response.end(`${event({}, 'stop')}data: [DONE]\n\n`)
    }
    left -= 1
  }, 1_000 / perSecond)
  response.on('close', () => clearInterval(timer))
}

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const { model = '' } = JSON.parse(Buffer.concat(parts).toString() || '{}') as { model?: string }
    const [perSecond = 1, seconds = 1] = model.split('x').map(Number)
    tick(response, perSecond, seconds)
  })
})
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('disconnect', () => process.exit(0))
