// Sandboxes on the real engine: how soon one is ready, what a command costs, how fast it is gone.
import { newId } from '../../src/protocol/ids.ts'
import type { Sandbox } from '../../src/server/sandbox/types.ts'
import { figure, median, progress, quantile } from '../setup/figures.ts'
import { realSandboxes } from '../setup/sandboxes.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const from = performance.now()
  await work()
  return performance.now() - from
}
const command = async (sandbox: Sandbox, script: string): Promise<void> => {
  const commandId = newId('cmd')
  await sandbox.run({ commandId, script, mode: 'workspace-write' })
  await sandbox.wait(commandId)
}

const real = await realSandboxes()
try {
  progress('cold starts')
  const cold = real.manager()
  const colds: number[] = []
  for (let round = 0; round < 7; round += 1) {
    const { sandbox } = await real.open(cold)
    colds.push(await timed(() => command(sandbox, 'true')))
    await sandbox.destroy()
  }
  const coldMethod = 'new container to the end of its first command; n = 7, one after the other'
  figure({
    name: 'ready.cold',
    value: median(colds),
    unit: 'ms',
    goal: { atMost: 1_500 },
    method: coldMethod,
  })
  figure({ name: 'ready.cold.max', value: Math.max(...colds), unit: 'ms', method: 'the slowest of them' })

  progress('starts from the pool')
  const pool = real.manager({ poolSize: 1 })
  const pooled: number[] = []
  for (let round = 0; round < 7; round += 1) {
    pool.warm()
    while (!(await pool.health()).message.includes('1 kept ready')) await pause(50)
    const { sandbox } = await real.open(pool)
    pooled.push(await timed(() => command(sandbox, 'true')))
    await sandbox.destroy()
  }
  const poolMethod = 'kept container to the end of its first command; n = 7'
  figure({ name: 'ready.pool', value: median(pooled), unit: 'ms', goal: { atMost: 150 }, method: poolMethod })
  await pool.close()

  const { sandbox } = await real.open(cold)
  await sandbox.ensure()
  const wakes: number[] = []
  for (let round = 0; round < 3; round += 1) {
    await sandbox.stop('benchmark')
    wakes.push(await timed(() => command(sandbox, 'true')))
  }
  const wakeMethod = 'stopped container to the end of its next command; n = 3'
  figure({ name: 'ready.wake', value: median(wakes), unit: 'ms', method: wakeMethod })

  progress('commands')
  for (let round = 0; round < 50; round += 1) await command(sandbox, 'true')
  const paced: number[] = []
  for (let round = 0; round < 150; round += 1) {
    await pause(60)
    paced.push(await timed(() => command(sandbox, 'true')))
  }
  const pacedMethod = 'bash script `true`, start to end over the supervisor, 60 ms apart; n = 150'
  figure({
    name: 'command.paced',
    value: median(paced),
    unit: 'ms',
    goal: { atMost: 5 },
    method: pacedMethod,
  })
  figure({
    name: 'command.paced.p95',
    value: quantile(paced, 0.95),
    unit: 'ms',
    goal: { atMost: 15 },
    method: '95th percentile of the same',
  })
  const dense: number[] = []
  for (let round = 0; round < 400; round += 1) dense.push(await timed(() => command(sandbox, 'true')))
  const denseMethod = 'the same back to back; n = 400'
  figure({
    name: 'command.dense',
    value: median(dense),
    unit: 'ms',
    goal: { atMost: 6 },
    method: denseMethod,
  })
  figure({
    name: 'command.dense.p95',
    value: quantile(dense, 0.95),
    unit: 'ms',
    goal: { atMost: 15 },
    method: '95th percentile of the same',
  })
  const total = 1_600
  let started = 0
  const worker = async (): Promise<void> => {
    while (started < total) {
      started += 1
      await command(sandbox, 'true')
    }
  }
  const tookMs = await timed(() => Promise.all(Array.from({ length: 8 }, worker)))
  figure({
    name: 'command.eight',
    value: (total / tookMs) * 1_000,
    unit: '/s',
    goal: { atLeast: 300 },
    method: `eight at once; n = ${total}`,
  })

  progress('output')
  const megabytes = 100
  const commandId = newId('cmd')
  let read = 0
  const outputMs = await timed(async () => {
    const script = `head -c ${megabytes}000000 /dev/zero`
    await sandbox.run({ commandId, script, mode: 'workspace-write' })
    for await (const { bytes, gap } of sandbox.output(commandId, 0, { follow: true }))
      read += bytes.length + (gap ?? 0)
  })
  figure({
    name: 'output',
    value: read / 1_000 / outputMs,
    unit: 'MB/s',
    method: `${megabytes} MB of one command, spooled and read`,
  })

  progress('kills')
  const kills: number[] = []
  for (let round = 0; round < 20; round += 1) {
    const id = newId('cmd')
    const script = `for i in $(seq 16); do (setsid sleep 600 &) ; (env -i setsid nohup sleep 600 >/dev/null 2>&1 &); sleep 600 & done; echo up; wait`
    await sandbox.run({ commandId: id, script, mode: 'workspace-write' })
    for await (const { bytes } of sandbox.output(id, 0, { follow: true }))
      if (Buffer.from(bytes).includes('up')) break
    kills.push(await timed(() => sandbox.kill(id)))
  }
  figure({
    name: 'kill.p95',
    value: quantile(kills, 0.95),
    unit: 'ms',
    goal: { atMost: 2_000 },
    method:
      '48 descendants, a third detached and a third with an empty environment, until none is left; n = 20',
  })
} finally {
  await real.clean()
}
