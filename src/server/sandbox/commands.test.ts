import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { FakeSupervisor, printed } from '../../../test/setup/fake-supervisor.ts'
import { newId } from '../../protocol/ids.ts'
import { Commands } from './commands.ts'
import { SupervisorLink } from './link.ts'
import type { OutputChunk } from './types.ts'

const secret = 'a'.repeat(64)
const open: { close(): void }[] = []
afterEach(() => {
  for (const thing of open.splice(0)) thing.close()
})

const pair = () => {
  const supervisor = new FakeSupervisor(secret)
  const link = new SupervisorLink(
    async () => supervisor.attach(),
    secret,
    () => undefined,
  )
  const commands = new Commands({
    reach: (request) => link.request(request),
    json: (request, shape) => link.json(request, shape),
  })
  open.push(link, supervisor)
  return { supervisor, link, commands }
}

const collect = async (chunks: AsyncIterable<OutputChunk>, from = 0): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  let at = from
  for await (const { offset, bytes } of chunks) {
    expect(offset).toBe(at)
    at += bytes.length
    parts.push(bytes)
  }
  return Buffer.concat(parts)
}

const run = (commands: Commands, script: string, commandId = newId('cmd')) =>
  commands.run({ commandId, script, mode: 'workspace-write' })

describe('commands of a sandbox', () => {
  it('start, output and end come in one request', async () => {
    const { commands, supervisor } = pair()
    const { commandId, pid } = await run(commands, 'print 5000')
    expect(pid).toBe(7)
    expect((await collect(commands.output(commandId, 0, { follow: true }))).equals(printed(0, 5000))).toBe(
      true,
    )
    expect(await commands.wait(commandId)).toEqual({
      status: 'exited',
      exitCode: 0,
      signal: null,
      timedOut: false,
      bytes: 5000,
    })
    expect(supervisor.programs.get(commandId)?.runs).toBe(1)
  })

  it('goes on byte for byte wherever the connection is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60_000 }),
        fc.array(fc.nat(60_000), { maxLength: 4 }),
        fc.constantFrom(7, 1_000, 20_000),
        async (bytes, cuts, frameBytes) => {
          const { commands, supervisor, link } = pair()
          supervisor.frameBytes = Math.max(frameBytes, Math.ceil(bytes / 200))
          const left = [...cuts]
          supervisor.onFrame = (offset) => {
            const due = left.findIndex((cut) => cut <= offset)
            if (due < 0) return
            left.splice(due, 1)
            supervisor.cut()
          }
          const { commandId } = await run(commands, `print ${bytes}`)
          const read = await collect(commands.output(commandId, 0, { follow: true }))
          expect(read.equals(printed(0, bytes))).toBe(true)
          expect((await commands.wait(commandId)).bytes).toBe(bytes)
          link.close()
          supervisor.close()
        },
      ),
      { numRuns: 40 },
    )
  })

  it('the same id is one command, and a second reader starts where it wants', async () => {
    const { commands, supervisor } = pair()
    const { commandId } = await run(commands, 'wait')
    await run(commands, 'wait', commandId)
    expect(supervisor.programs.size).toBe(1)
    supervisor.print(commandId, 3_000)
    const first = collect(commands.output(commandId, 0, { follow: true }))
    const second = collect(commands.output(commandId, 2_000, { follow: true }), 2_000)
    supervisor.print(commandId, 1_000)
    supervisor.end(commandId)
    expect((await first).equals(printed(0, 4_000))).toBe(true)
    expect((await second).equals(printed(2_000, 4_000))).toBe(true)
    expect((await collect(commands.output(commandId, 3_990, { follow: false }), 3_990)).length).toBe(10)
  })

  it('a reader that stopped is followed by another one without a byte lost', async () => {
    const { commands, supervisor } = pair()
    supervisor.frameBytes = 100
    const { commandId } = await run(commands, 'wait')
    supervisor.print(commandId, 1_000)
    let read = 0
    for await (const { bytes } of commands.output(commandId, 0, { follow: true })) {
      read += bytes.length
      if (read >= 300) break
    }
    supervisor.print(commandId, 500)
    supervisor.end(commandId)
    const rest = await collect(commands.output(commandId, read, { follow: true }), read)
    expect(rest.equals(printed(read, 1_500))).toBe(true)
  })

  it('a wait sees the end of a command whose output nobody reads, and the output is still there', async () => {
    const { commands, supervisor } = pair()
    supervisor.frameBytes = 50_000
    const { commandId } = await run(commands, 'print 3000000')
    expect((await commands.wait(commandId)).bytes).toBe(3_000_000)
    const read = await collect(commands.output(commandId, 0, { follow: true }))
    expect(read.equals(printed(0, 3_000_000))).toBe(true)
  })

  it('kills, forwards input, and says what it does not know', async () => {
    const { commands, supervisor } = pair()
    const { commandId } = await run(commands, 'wait')
    await commands.input(commandId, Buffer.from([1, 255, 10]))
    expect([...(supervisor.programs.get(commandId)?.input ?? [])]).toEqual([1, 255, 10])
    await commands.kill(commandId)
    expect(await commands.wait(commandId)).toMatchObject({
      status: 'killed',
      signal: 'SIGKILL',
      exitCode: null,
    })
    await commands.forget(commandId)
    await commands.forget(commandId)
    await expect(commands.wait(commandId)).rejects.toMatchObject({ code: 'command_lost' })
    await expect(collect(commands.output('cmd_unknown', 0, { follow: true }))).rejects.toMatchObject({
      code: 'command_lost',
    })
  })

  it('gives up readers and waiters when the container is lost', async () => {
    const { commands } = pair()
    const { commandId } = await run(commands, 'wait')
    const waiting = commands.wait(commandId)
    const reading = collect(commands.output(commandId, 0, { follow: true }))
    const settled = Promise.allSettled([waiting, reading])
    commands.lose()
    for (const result of await settled)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'command_lost' } })
  })

  it('an abort ends the wait, not the command', async () => {
    const { commands, supervisor } = pair()
    const { commandId } = await run(commands, 'wait')
    const abort = new AbortController()
    const waiting = commands.wait(commandId, abort.signal)
    abort.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    supervisor.end(commandId, { exitCode: 4 })
    expect((await commands.wait(commandId)).exitCode).toBe(4)
  })
})
