/**
 * The Docker engine as this room needs it: containers, volumes, an attached exec, news of deaths. All that is Docker's
 * own (names of fields, ways of failing) ends here. Every error is a Fault.
 */
import type { Duplex } from 'node:stream'
import Docker from 'dockerode'
import {
  type ContainerIdentity,
  containerOptions,
  installLabel,
  sandboxLabel,
  volumesOf,
} from './container-spec.ts'
import { ExecStream } from './demux.ts'
import { engineFault, engineStatus, imageMissing } from './faults.ts'
import type { SandboxLimits } from './types.ts'

export type ContainerState = { running: boolean; exitCode: number; oomKilled: boolean }
export type FoundContainer = { containerId: string; sandboxId: string; running: boolean }

export type Engine = {
  /** Rejects with the reason when the engine does not answer. */
  ping(): Promise<void>
  /** Rejects with image_missing. */
  checkImage(image: string): Promise<void>
  /** Makes the container, and the volumes that are missing; starts nothing. Answers the container's id. */
  create(identity: ContainerIdentity, limits: SandboxLimits): Promise<string>
  start(containerId: string): Promise<void>
  /** SIGTERM, then SIGKILL after the grace time. A stopped or missing container is no error. */
  stop(containerId: string, graceSeconds: number): Promise<void>
  /** Removes the container whatever it does; a missing one is no error. */
  removeContainer(containerId: string): Promise<void>
  removeVolumes(volume: string): Promise<void>
  /** Null: no such container. */
  inspect(containerId: string): Promise<ContainerState | null>
  /** Whether every volume of a sandbox is there. */
  hasVolumes(volume: string): Promise<boolean>
  /** Containers and volumes (by sandbox id) that carry the installation's label. */
  list(
    installId: string,
  ): Promise<{ containers: FoundContainer[]; volumes: { name: string; sandboxId: string }[] }>
  removeVolume(name: string): Promise<void>
  /** An exec with stdin and stdout attached. */
  attach(containerId: string, argv: readonly string[]): Promise<Duplex>
  /**
   * Calls back with the sandbox id of each of the installation's containers that ended, until the signal aborts; with
   * null when it could not listen for a while, so that any may have. Reconnects by itself.
   */
  watch(installId: string, onEnd: (sandboxId: string | null) => void, signal: AbortSignal): void
}

/** Where an engine listens, from a DOCKER_HOST text. All fields are given, so that no environment is read. */
export const engineAddress = (dockerHost: string | undefined): Docker.DockerOptions => {
  const text = dockerHost?.trim() ? dockerHost.trim() : 'unix:///var/run/docker.sock'
  if (text.startsWith('unix://') || text.startsWith('/'))
    return { socketPath: text.replace(/^unix:\/\//, '') || '/var/run/docker.sock', protocol: 'http' }
  const url = new URL(text.includes('://') ? text.replace(/^tcp:/, 'http:') : `http://${text}`)
  const secure = url.protocol === 'https:' || url.port === '2376'
  return {
    host: url.hostname,
    port: Number(url.port || (secure ? 2376 : 2375)),
    protocol: secure ? 'https' : 'http',
  }
}

const gone = (error: unknown): void => {
  if (engineStatus(error) !== 404) throw engineFault(error)
}
const already = (error: unknown): void => {
  if (engineStatus(error) !== 304) throw engineFault(error)
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())

export const createEngine = (dockerHost: string | undefined): Engine => {
  const address = engineAddress(dockerHost)
  const docker = new Docker('socketPath' in address ? { ...address, host: undefined } : address)
  const filters = (installId: string) => JSON.stringify({ label: [`${installLabel}=${installId}`] })

  const removeVolume = (name: string): Promise<void> =>
    docker
      .getVolume(name)
      .remove({ force: true })
      .then(() => undefined, gone)

  const watch: Engine['watch'] = (installId, onEnd, signal) => {
    const once = async (isFirst: boolean): Promise<void> => {
      const stream = await docker.getEvents({
        filters: { type: ['container'], event: ['die', 'destroy'], label: [`${installLabel}=${installId}`] },
      })
      if (!isFirst) onEnd(null)
      const close = (): void => {
        ;(stream as Duplex).destroy()
      }
      signal.addEventListener('abort', close, { once: true })
      try {
        let text = ''
        for await (const chunk of stream) {
          text += String(chunk)
          const lines = text.split('\n')
          text = lines.pop() ?? ''
          for (const line of lines.filter((entry) => entry.trim() !== '')) {
            const event = JSON.parse(line) as { Actor?: { Attributes?: Record<string, string> } }
            const sandboxId = event.Actor?.Attributes?.[sandboxLabel]
            if (sandboxId) onEnd(sandboxId)
          }
        }
      } finally {
        signal.removeEventListener('abort', close)
      }
    }
    const forever = async (): Promise<void> => {
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        // An engine that is away is told to whoever calls it; here it only means: try again.
        await once(isFirst).catch(() => undefined)
        if (!signal.aborted) await pause(1_000)
      }
    }
    void forever()
  }

  return {
    ping: async () => {
      await docker.ping().catch((error) => {
        throw engineFault(error)
      })
    },
    checkImage: async (image) => {
      await docker
        .getImage(image)
        .inspect()
        .catch((error) => {
          throw engineStatus(error) === 404 ? imageMissing(image, error) : engineFault(error, image)
        })
    },
    create: async (identity, limits) => {
      const options = containerOptions(identity, limits)
      const make = async (): Promise<string> => (await docker.createContainer(options)).id
      try {
        return await make().catch(async (error) => {
          if (engineStatus(error) !== 409) throw error
          // A container of this sandbox whose creation nobody noted: it never ran a command.
          await docker.getContainer(identity.volume).remove({ force: true })
          return make()
        })
      } catch (error) {
        throw engineFault(error, identity.image)
      }
    },
    start: (containerId) =>
      docker
        .getContainer(containerId)
        .start()
        .then(() => undefined, already),
    stop: (containerId, graceSeconds) =>
      docker
        .getContainer(containerId)
        .stop({ t: graceSeconds })
        .then(
          () => undefined,
          (error) => (engineStatus(error) === 404 ? undefined : already(error)),
        ),
    removeContainer: (containerId) =>
      docker
        .getContainer(containerId)
        .remove({ force: true, v: false })
        .then(
          () => undefined,
          // 409: another removal of the same container is on its way.
          (error) => (engineStatus(error) === 409 ? undefined : gone(error)),
        ),
    removeVolume,
    removeVolumes: async (volume) => {
      for (const { name } of volumesOf(volume)) await removeVolume(name)
    },
    inspect: async (containerId) => {
      try {
        const { State } = await docker.getContainer(containerId).inspect()
        return { running: State.Running, exitCode: State.ExitCode, oomKilled: State.OOMKilled }
      } catch (error) {
        if (engineStatus(error) === 404) return null
        throw engineFault(error)
      }
    },
    hasVolumes: async (volume) => {
      for (const { name } of volumesOf(volume)) {
        try {
          await docker.getVolume(name).inspect()
        } catch (error) {
          if (engineStatus(error) === 404) return false
          throw engineFault(error)
        }
      }
      return true
    },
    list: async (installId) => {
      try {
        const containers = await docker.listContainers({ all: true, filters: filters(installId) })
        const { Volumes } = await docker.listVolumes({ filters: filters(installId) })
        return {
          containers: containers.map(({ Id, Labels, State }) => ({
            containerId: Id,
            sandboxId: Labels[sandboxLabel] ?? '',
            running: State === 'running',
          })),
          volumes: (Volumes ?? []).map(({ Name, Labels }) => ({
            name: Name,
            sandboxId: Labels?.[sandboxLabel] ?? '',
          })),
        }
      } catch (error) {
        throw engineFault(error)
      }
    },
    attach: async (containerId, argv) => {
      try {
        const exec = await docker.getContainer(containerId).exec({
          Cmd: [...argv],
          AttachStdin: true,
          AttachStdout: true,
          AttachStderr: true,
          Tty: false,
        })
        // hijack gives the raw socket, whose writes obey backpressure; without it they do not.
        const raw = await exec.start({ hijack: true, stdin: true, Tty: false })
        return new ExecStream(raw)
      } catch (error) {
        throw engineFault(error)
      }
    },
    watch,
  }
}
