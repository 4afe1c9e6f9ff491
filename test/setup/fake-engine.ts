// An engine in memory: containers are fake supervisors, volumes are names. Counts what was asked of it.
import type { ContainerIdentity } from '../../src/server/sandbox/container-spec.ts'
import { volumesOf } from '../../src/server/sandbox/container-spec.ts'
import type { Engine } from '../../src/server/sandbox/engine.ts'
import { engineFault, imageMissing } from '../../src/server/sandbox/faults.ts'
import type { SandboxRow, SandboxStore } from '../../src/server/store/types.ts'
import { FakeSupervisor } from './fake-supervisor.ts'

type FakeContainer = {
  identity: ContainerIdentity
  running: boolean
  exitCode: number
  oomKilled: boolean
  supervisor: FakeSupervisor
}

export class FakeEngine implements Engine {
  readonly containers = new Map<string, FakeContainer>()
  readonly volumes = new Map<string, string>()
  readonly calls: string[] = []
  images = new Set(['image'])
  away = false
  /** Starts wait for it. */
  startGate: Promise<void> = Promise.resolve()
  private made = 0
  private readonly watchers: ((sandboxId: string | null) => void)[] = []

  private note(call: string): void {
    if (this.away)
      throw engineFault(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
    this.calls.push(call)
  }

  count(call: string): number {
    return this.calls.filter((made) => made === call).length
  }

  of(sandboxId: string): FakeContainer {
    const found = [...this.containers.values()].find(({ identity }) => identity.sandboxId === sandboxId)
    if (!found) throw new Error(`no container of ${sandboxId}`)
    return found
  }

  async ping(): Promise<void> {
    this.note('ping')
  }

  async checkImage(image: string): Promise<void> {
    this.note('checkImage')
    if (!this.images.has(image)) throw imageMissing(image)
  }

  async create(identity: ContainerIdentity): Promise<string> {
    this.note('create')
    this.made += 1
    const id = `container-${this.made}`
    for (const { name } of volumesOf(identity.volume)) this.volumes.set(name, identity.sandboxId)
    const supervisor = new FakeSupervisor(identity.secret)
    this.containers.set(id, { identity, running: false, exitCode: 0, oomKilled: false, supervisor })
    return id
  }

  async start(containerId: string): Promise<void> {
    this.note('start')
    await this.startGate
    const found = this.containers.get(containerId)
    if (found) found.running = true
  }

  async stop(containerId: string): Promise<void> {
    this.note('stop')
    this.halt(containerId, 0)
  }

  /** The container ends by itself, and the engine's events say so. */
  die(sandboxId: string, exitCode: number, oomKilled = false): void {
    for (const [id, { identity }] of this.containers)
      if (identity.sandboxId === sandboxId) this.halt(id, exitCode, oomKilled)
    for (const watcher of this.watchers) watcher(sandboxId)
  }

  private halt(containerId: string, exitCode: number, oomKilled = false): void {
    const found = this.containers.get(containerId)
    if (!found) return
    found.running = false
    found.exitCode = exitCode
    found.oomKilled = oomKilled
    found.supervisor.programs.clear()
    found.supervisor.cut()
  }

  async removeContainer(containerId: string): Promise<void> {
    this.note('removeContainer')
    this.halt(containerId, 137)
    this.containers.delete(containerId)
  }

  async removeVolumes(volume: string): Promise<void> {
    this.note('removeVolumes')
    for (const { name } of volumesOf(volume)) this.volumes.delete(name)
  }

  async removeVolume(name: string): Promise<void> {
    this.note('removeVolume')
    this.volumes.delete(name)
  }

  async inspect(containerId: string): ReturnType<Engine['inspect']> {
    this.note('inspect')
    const found = this.containers.get(containerId)
    return found ? { running: found.running, exitCode: found.exitCode, oomKilled: found.oomKilled } : null
  }

  async hasVolumes(volume: string): Promise<boolean> {
    this.note('hasVolumes')
    return volumesOf(volume).every(({ name }) => this.volumes.has(name))
  }

  async list(installId: string): ReturnType<Engine['list']> {
    this.note('list')
    const own = [...this.containers].filter(([, { identity }]) => identity.installId === installId)
    return {
      containers: own.map(([containerId, { identity, running }]) => ({
        containerId,
        sandboxId: identity.sandboxId,
        running,
      })),
      volumes: [...this.volumes].map(([name, sandboxId]) => ({ name, sandboxId })),
    }
  }

  async attach(containerId: string): ReturnType<Engine['attach']> {
    this.note('attach')
    const found = this.containers.get(containerId)
    if (!found?.running) throw engineFault(new Error(`Container ${containerId} is not running`))
    return found.supervisor.attach()
  }

  watch(_installId: string, onEnd: (sandboxId: string | null) => void): void {
    this.watchers.push(onEnd)
  }

  close(): void {
    for (const { supervisor } of this.containers.values()) supervisor.close()
  }
}

/** The store's sandbox rows in memory. */
export const memoryRows = (): SandboxStore & { rows: Map<string, SandboxRow> } => {
  const rows = new Map<string, SandboxRow>()
  return {
    rows,
    list: async (installId) => [...rows.values()].filter((row) => row.installId === installId),
    ofThread: async (threadId) => [...rows.values()].find((row) => row.threadId === threadId) ?? null,
    save: async (row) => void rows.set(row.sandboxId, structuredClone(row)),
    assign: async (sandboxId, threadId) => {
      const row = rows.get(sandboxId)
      if (!row || row.threadId !== null) return false
      rows.set(sandboxId, { ...row, threadId })
      return true
    },
    remove: async (sandboxId) => void rows.delete(sandboxId),
  }
}
