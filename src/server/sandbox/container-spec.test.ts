import { describe, expect, it } from 'vitest'
import { containerOptions, sandboxSecret, specOf, volumesOf } from './container-spec.ts'

const limits = { memoryBytes: 2 ** 30, cpus: 1.5, pids: 256, tmpBytes: 2 ** 28 }
const identity = {
  sandboxId: 'sbx_1',
  installId: 'install',
  uid: 20_007,
  volume: 'baton-install-1',
  image: 'image',
  secret: sandboxSecret('key', 'sbx_1'),
}

describe('what a container is made of', () => {
  it('SEC-01 drops everything that can be dropped', () => {
    const { HostConfig, User, NetworkDisabled } = containerOptions(identity, limits)
    expect(User).toBe('20007:20007')
    expect(NetworkDisabled).toBe(true)
    expect(HostConfig).toMatchObject({
      NetworkMode: 'none',
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
      ReadonlyRootfs: true,
      Init: true,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      NanoCpus: 1_500_000_000,
      PidsLimit: 256,
      LogConfig: { Config: { 'max-size': '1m', 'max-file': '1' } },
    })
    expect(HostConfig?.Binds).toBeUndefined()
    expect(HostConfig?.Devices).toBeUndefined()
    expect(HostConfig?.Mounts?.map(({ Type, Source }) => [Type, Source])).toEqual(
      volumesOf(identity.volume).map(({ name }) => ['volume', name]),
    )
  })

  it('SEC-32 gives the container only its own secret', () => {
    const { Env } = containerOptions(identity, limits)
    expect(Env).toEqual([`BATON_SECRET=${identity.secret}`, 'BATON_SANDBOX_ID=sbx_1'])
    expect(identity.secret).toMatch(/^[0-9a-f]{64}$/)
    expect(sandboxSecret('key', 'sbx_2')).not.toBe(identity.secret)
    expect(sandboxSecret('other', 'sbx_1')).not.toBe(identity.secret)
  })

  it('names image and limits, so that a pooled container serves only the same', () => {
    expect(specOf('image', limits)).toBe(specOf('image', { ...limits }))
    expect(specOf('other', limits)).not.toBe(specOf('image', limits))
    expect(specOf('image', { ...limits, pids: 1 })).not.toBe(specOf('image', limits))
  })
})
