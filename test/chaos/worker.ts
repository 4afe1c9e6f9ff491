// Starts, kills and asks a server process; see worker/main.ts.
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { WorkerCall, WorkerSetup } from './worker/main.ts'

type Reply = { ready?: true; id?: number; result?: unknown; error?: string }
/** A call without its number. */
type Asked = WorkerCall extends infer C ? (C extends WorkerCall ? Omit<C, 'id'> : never) : never

export type Worker = {
  /** Rejects when the process ends before it has answered. */
  ask(call: Asked): Promise<unknown>
  kill(): Promise<void>
}

/** Resolves when the process has taken over what its predecessor left. */
export const startWorker = async (setup: WorkerSetup): Promise<Worker> => {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  let lastId = 0
  let words = ''
  const child: ChildProcess = fork(join(import.meta.dirname, 'worker/main.ts'), [JSON.stringify(setup)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  child.stderr?.on('data', (chunk) => {
    words = `${words}${chunk}`.slice(-4_000)
  })
  child.on('message', (message: Reply) => {
    if (message.ready) ready.resolve()
    const asked = message.id === undefined ? undefined : waiting.get(message.id)
    if (message.error !== undefined) asked?.reject(new Error(message.error))
    else asked?.resolve(message.result)
  })
  child.on('exit', () => {
    const gone = new Error(`the server process ended: ${words}`)
    ready.reject(gone)
    for (const { reject } of waiting.values()) reject(gone)
    ended.resolve()
  })
  await ready.promise
  return {
    ask: (call) => {
      const id = ++lastId
      const asked = Promise.withResolvers<unknown>()
      waiting.set(id, asked)
      child.send({ ...call, id })
      return asked.promise
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended.promise
    },
  }
}
