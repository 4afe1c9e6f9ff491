/**
 * What a sandbox's container is made of: every flag in one pure function. Nothing here talks to an engine.
 */
import { createHash, createHmac } from 'node:crypto'
import type { ContainerCreateOptions } from 'dockerode'
import {
  CONTAINER,
  ENV_SANDBOX_ID,
  ENV_SECRET,
  PROTOCOL_VERSION,
  SUPERVISOR_ARGV,
} from '../../../sandbox/supervisor/protocol.ts'
import type { SandboxLimits } from './types.ts'

export const installLabel = 'baton.install-id'
export const sandboxLabel = 'baton.sandbox-id'

/** The secret that opens the supervisor of one sandbox: 64 hex digits. */
export const sandboxSecret = (secretKey: string, sandboxId: string): string =>
  createHmac('sha256', secretKey).update(sandboxId).digest('hex')

/** Names what a pooled container must share with a request to serve it: image and limits. */
export const specOf = (image: string, limits: SandboxLimits): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        PROTOCOL_VERSION,
        image,
        limits.memoryBytes,
        limits.cpus,
        limits.pids,
        limits.tmpBytes,
      ]),
    )
    .digest('hex')
    .slice(0, 16)

export type ContainerIdentity = {
  sandboxId: string
  installId: string
  uid: number
  /** Prefix of the volumes' names. */
  volume: string
  image: string
  secret: string
}

export const labelsOf = (
  identity: Pick<ContainerIdentity, 'installId' | 'sandboxId'>,
): Record<string, string> => ({
  [installLabel]: identity.installId,
  [sandboxLabel]: identity.sandboxId,
})

/** The volumes of a sandbox: name and where each is mounted. */
export const volumesOf = (volume: string): { name: string; target: string }[] =>
  Object.entries(CONTAINER.volumes).map(([suffix, target]) => ({ name: `${volume}-${suffix}`, target }))

const tmpfsOf = (limits: SandboxLimits): Record<string, string> => ({
  ...CONTAINER.tmpfs,
  '/tmp': CONTAINER.tmpfs['/tmp'].replace(/size=[^,]+/, `size=${limits.tmpBytes}`),
})

/** Options of the engine's create call: no capability, no new privilege, no network, nothing writable but its own. */
export const containerOptions = (
  identity: ContainerIdentity,
  limits: SandboxLimits,
): ContainerCreateOptions => ({
  name: identity.volume,
  Image: identity.image,
  Cmd: [...SUPERVISOR_ARGV],
  Entrypoint: [],
  User: `${identity.uid}:${identity.uid}`,
  WorkingDir: '/',
  Hostname: 'sandbox',
  Env: [`${ENV_SECRET}=${identity.secret}`, `${ENV_SANDBOX_ID}=${identity.sandboxId}`],
  Labels: labelsOf(identity),
  AttachStdin: false,
  AttachStdout: false,
  AttachStderr: false,
  OpenStdin: false,
  Tty: false,
  NetworkDisabled: true,
  StopSignal: 'SIGTERM',
  HostConfig: {
    NetworkMode: 'none',
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    Privileged: false,
    ReadonlyRootfs: true,
    Init: true,
    Memory: limits.memoryBytes,
    MemorySwap: limits.memoryBytes,
    NanoCpus: Math.round(limits.cpus * 1e9),
    PidsLimit: limits.pids,
    Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
    IpcMode: 'private',
    ShmSize: 64 * 1024 * 1024,
    Tmpfs: tmpfsOf(limits),
    Mounts: volumesOf(identity.volume).map(({ name, target }) => ({
      Type: 'volume',
      Source: name,
      Target: target,
      ReadOnly: false,
      VolumeOptions: {
        NoCopy: false,
        Labels: labelsOf(identity),
        DriverConfig: { Name: 'local', Options: {} },
      },
    })),
    LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    RestartPolicy: { Name: 'no' },
    AutoRemove: false,
  },
})
