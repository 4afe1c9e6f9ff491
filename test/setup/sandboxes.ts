// Sandboxes on the real engine for tests and benchmarks: an installation id per run, and nothing of it left afterwards.
import Docker from 'dockerode'
import { newId } from '../../src/protocol/ids.ts'
import { createLog } from '../../src/server/log.ts'
import { sandboxLabel } from '../../src/server/sandbox/container-spec.ts'
import { createEngine, engineAddress } from '../../src/server/sandbox/engine.ts'
import { createSandboxManager } from '../../src/server/sandbox/manager.ts'
import type { Sandbox, SandboxConfig, SandboxManager, SandboxNews } from '../../src/server/sandbox/types.ts'
import { memoryRows } from './fake-engine.ts'
import { testImage } from './image.ts'

export type RealSandboxes = {
  docker: Docker
  config: SandboxConfig
  rows: ReturnType<typeof memoryRows>
  /** A manager over the same rows, as a server's start would make one. */
  manager(change?: Partial<SandboxConfig>): SandboxManager
  open(manager: SandboxManager, threadId?: string): Promise<OpenThread>
  container(sandboxId: string): Promise<Docker.Container>
  /** Removes all containers and volumes of this run. */
  clean(): Promise<void>
}

export type OpenThread = {
  threadId: string
  sandbox: Sandbox
  news: SandboxNews[]
  sandboxId(): string
}

export const realSandboxes = async (): Promise<RealSandboxes> => {
  const dockerHost = process.env.DOCKER_HOST
  const docker = new Docker(engineAddress(dockerHost))
  const rows = memoryRows()
  const managers: SandboxManager[] = []
  const config: SandboxConfig = {
    ...(dockerHost === undefined ? {} : { dockerHost }),
    installId: `test-${newId('own').slice(-12)}`,
    secretKey: newId('own'),
    image: await testImage(),
    limits: { memoryBytes: 1024 ** 3, cpus: 2, pids: 512, tmpBytes: 256 * 1024 ** 2 },
    poolSize: 0,
    idleMs: 3_600_000,
  }
  const manager: RealSandboxes['manager'] = (change = {}) => {
    const made = createSandboxManager({
      config: { ...config, ...change },
      rows,
      log: createLog('warn', (line) => process.stderr.write(`${line}\n`)),
    })
    managers.push(made)
    return made
  }
  return {
    docker,
    config,
    rows,
    manager,
    open: async (of, threadId = newId('thr')) => {
      const news: SandboxNews[] = []
      const sandbox = await of.forThread(threadId, (piece) => news.push(piece))
      const sandboxId = () =>
        [...rows.rows.values()].find((row) => row.threadId === threadId)?.sandboxId ?? ''
      return { threadId, sandbox, news, sandboxId }
    },
    container: async (sandboxId) => {
      const label = [`${sandboxLabel}=${sandboxId}`]
      const [found] = await docker.listContainers({ all: true, filters: { label } })
      if (!found) throw new Error(`no container of ${sandboxId}`)
      return docker.getContainer(found.Id)
    },
    clean: async () => {
      for (const made of managers) await made.close()
      const engine = createEngine(dockerHost)
      const { containers, volumes } = await engine.list(config.installId)
      for (const { containerId } of containers) await engine.removeContainer(containerId)
      for (const { name } of volumes) await engine.removeVolume(name)
    },
  }
}

/** Runs a script to its end; its whole output as bytes and text. */
export const runScript = async (
  sandbox: Sandbox,
  script: string,
  options: Partial<Parameters<Sandbox['run']>[0]> = {},
) => {
  const commandId = options.commandId ?? newId('cmd')
  await sandbox.run({ commandId, script, mode: 'workspace-write', ...options })
  const parts: Uint8Array[] = []
  for await (const { bytes } of sandbox.output(commandId, 0, { follow: true })) parts.push(bytes)
  const bytes = Buffer.concat(parts)
  return { commandId, end: await sandbox.wait(commandId), bytes, text: bytes.toString('utf8') }
}
