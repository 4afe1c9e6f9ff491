/**
 * Connections to model vendors. The key goes in as plain text, rests encrypted, and comes out of `key` alone.
 */
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import { ModelInfo, type Provider, type ProviderKind } from '../../protocol/settings.ts'
import { auditRow } from './audit.ts'
import { type Client, guarded, toJson } from './prisma.ts'
import { open, seal } from './secret.ts'
import type { ProviderStore, SaveProvider } from './types.ts'

type ProviderRow = {
  id: string
  name: string
  kind: string
  baseUrl: string | null
  keyCipher: Uint8Array | null
  source: string
  models: unknown
}

const toProvider = (row: ProviderRow): Provider => ({
  id: row.id,
  name: row.name,
  kind: row.kind as ProviderKind,
  baseUrl: row.baseUrl,
  hasKey: row.keyCipher !== null,
  source: row.source as Provider['source'],
  models: ModelInfo.array().parse(row.models),
})

export const createProviderStore = (
  client: Client,
  secretKey: Uint8Array,
  teamId: () => Promise<string>,
): ProviderStore => {
  const sealed = (id: string, key: string | null | undefined) =>
    key === undefined ? {} : { keyCipher: key === null || key === '' ? null : seal(secretKey, id, key) }

  const find = (providerId: string) =>
    guarded('provider', () => client.provider.findUniqueOrThrow({ where: { id: providerId } }))

  const dataOf = (id: string, input: Partial<SaveProvider>) => ({
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.kind === undefined ? {} : { kind: input.kind }),
    ...(input.baseUrl === undefined ? {} : { baseUrl: input.baseUrl }),
    ...(input.models === undefined ? {} : { models: toJson(input.models) }),
    ...sealed(id, input.key),
  })

  const create = async (
    source: Provider['source'],
    input: SaveProvider,
    actorId: string,
  ): Promise<Provider> => {
    const id = newId('prv')
    const team = await teamId()
    const rows = await guarded('provider', () =>
      client.$transaction([
        client.provider.create({
          data: {
            id,
            teamId: team,
            source,
            name: input.name,
            kind: input.kind,
            baseUrl: input.baseUrl,
            models: toJson(input.models),
            ...sealed(id, input.key),
          },
        }),
        auditRow(client, {
          actorId,
          action: 'provider.create',
          targetType: 'provider',
          targetId: id,
          details: { name: input.name, kind: input.kind },
        }),
      ]),
    )
    return toProvider(rows[0])
  }

  /** What the server made from its environment is changed there. */
  const ownedByPeople = async (providerId: string): Promise<ProviderRow> => {
    const row = await find(providerId)
    if (row.source !== 'settings')
      throw new Fault(
        'conflict',
        'This provider comes from the environment of the server.',
        'Change the environment variables and start the server again.',
      )
    return row
  }

  return {
    list: () =>
      guarded('provider', async () =>
        (await client.provider.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] })).map(toProvider),
      ),
    get: async (providerId) => toProvider(await find(providerId)),
    create: (input, actorId) => create('settings', input, actorId),

    update: async (providerId, input, actorId) => {
      const before = await find(providerId)
      if (before.source !== 'settings' && Object.keys(input).some((name) => name !== 'models'))
        await ownedByPeople(providerId)
      const rows = await guarded('provider', () =>
        client.$transaction([
          client.provider.update({ where: { id: providerId }, data: dataOf(providerId, input) }),
          auditRow(client, {
            actorId,
            action: 'provider.update',
            targetType: 'provider',
            targetId: providerId,
            details: { changed: Object.keys(input).join(', ') },
          }),
        ]),
      )
      return toProvider(rows[0])
    },

    upsertManaged: async (source, input) => {
      const existing = await guarded('provider', () =>
        client.provider.findFirst({ where: { source, kind: input.kind } }),
      )
      if (!existing) return create(source, input, 'system')
      // The catalogue stays as people edited it; what the environment names wins over the rest.
      const known = new Set(
        ModelInfo.array()
          .parse(existing.models)
          .map((model) => model.id),
      )
      const models = [
        ...ModelInfo.array().parse(existing.models),
        ...input.models.filter((model) => !known.has(model.id)),
      ]
      return toProvider(
        await guarded('provider', () =>
          client.provider.update({
            where: { id: existing.id },
            data: dataOf(existing.id, { ...input, models: source === 'demo' ? input.models : models }),
          }),
        ),
      )
    },

    remove: async (providerId, actorId) => {
      const row = await ownedByPeople(providerId)
      await guarded('provider', () =>
        client.$transaction([
          client.provider.delete({ where: { id: providerId } }),
          auditRow(client, {
            actorId,
            action: 'provider.delete',
            targetType: 'provider',
            targetId: providerId,
            details: { name: row.name },
          }),
        ]),
      )
    },

    key: async (providerId) => {
      const row = await find(providerId)
      return row.keyCipher === null ? null : open(secretKey, providerId, row.keyCipher)
    },
  }
}
