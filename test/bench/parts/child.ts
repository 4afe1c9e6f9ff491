// A helper process of a benchmark: it prints its URL in its first line, and ends with the benchmark.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export type Child = {
  url: string
  /** Sends a message and resolves with the next one that comes back. */
  ask<T>(message: string): Promise<T>
  stop(): Promise<void>
}

export const startChild = async (file: URL): Promise<Child> => {
  const child: ChildProcess = fork(file, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  if (!child.stdout) throw new Error('the helper process has no output')
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {
    url,
    ask: async <T>(message: string): Promise<T> => {
      const answer = once(child, 'message')
      child.send(message)
      const [value] = (await answer) as [T]
      return value
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
