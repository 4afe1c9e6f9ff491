/**
 * Doors on what a team sets up: providers and projects.
 */
import { z } from 'zod'
import { Fault, toFact } from '../../../protocol/error.ts'
import { ProjectId, ProviderId } from '../../../protocol/ids.ts'
import { ModelInfo, ProviderKind, ThreadSettings } from '../../../protocol/settings.ts'
import { router, teamDoor } from '../base.ts'
import { given } from '../given.ts'

const Name = z.string().trim().min(1, 'must not be empty').max(100)
const BaseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })
  .max(2_000)
  .refine(
    (value) => !new URL(value).username && !new URL(value).password,
    'must not hold a user name or password',
  )
  .nullable()
const Key = z.string().trim().min(1).max(4_000)
/** A settings page offers these; `demo` is made by the server alone. */
const Kind = ProviderKind.exclude(['demo'])

/** How long a vendor may take to list its models. */
const probeTimeoutMs = 15_000

export const providerRouter = router({
  list: teamDoor('provider.read').query(({ ctx }) => ctx.store.providers.list()),

  save: teamDoor('provider.write')
    .input(
      z.object({
        id: ProviderId.optional(),
        name: Name,
        kind: Kind,
        baseUrl: BaseUrl,
        key: Key.nullable().optional(),
        models: z.array(ModelInfo).max(500),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      const { id, key, ...rest } = input
      const change = key === undefined ? rest : { ...rest, key }
      if (!id) return ctx.store.providers.create(change, ctx.actor.userId)
      const known = await ctx.store.providers.get(id)
      if (known.source !== 'settings') {
        throw new Fault(
          'conflict',
          'This provider comes from the environment.',
          'Change it where the server is started.',
        )
      }
      if (known.baseUrl !== input.baseUrl && key === undefined && known.hasKey) {
        throw new Fault(
          'bad_input',
          'A new address needs the key again.',
          'Enter the key, so that it cannot go to another host unseen.',
        )
      }
      return ctx.store.providers.update(id, change, ctx.actor.userId)
    }),

  delete: teamDoor('provider.write')
    .input(z.object({ id: ProviderId }))
    .mutation(async ({ ctx, input }) => {
      await ctx.store.providers.remove(input.id, ctx.actor.userId)
      return { id: input.id }
    }),

  /** Asks the vendor for its models. Without `key` the stored one is used, but only at the stored address. */
  test: teamDoor('provider.write')
    .input(z.object({ id: ProviderId.optional(), kind: Kind, baseUrl: BaseUrl, key: Key.optional() }))
    .mutation(async ({ ctx, input }) => {
      let key = input.key ?? null
      if (key === null && input.id) {
        const known = await ctx.store.providers.get(input.id)
        if (known.baseUrl === input.baseUrl && known.kind === input.kind)
          key = await ctx.store.providers.key(input.id)
        if (key !== null)
          await ctx.store.audit({
            ...{ actorId: ctx.actor.userId, action: 'provider.key_use', targetType: 'provider' },
            ...{ targetId: input.id, details: { test: true } },
          })
      }
      try {
        const models = await ctx.models.probe(
          { kind: input.kind, baseUrl: input.baseUrl, key },
          AbortSignal.timeout(probeTimeoutMs),
        )
        return { ok: true as const, models: models.map(({ id }) => ctx.models.describe(input.kind, id)) }
      } catch (error) {
        return { ok: false as const, error: toFact(error) }
      }
    }),

  catalogue: teamDoor('provider.read')
    .input(z.object({ kind: Kind }))
    .query(({ ctx, input }) => ctx.models.catalogue(input.kind)),
})

const ProjectFields = z.object({
  name: Name,
  instructions: z.string().max(32_768).optional(),
  defaults: ThreadSettings.partial().optional(),
})

export const projectRouter = router({
  list: teamDoor('project.read').query(({ ctx }) => ctx.store.projects.list()),

  create: teamDoor('project.create')
    .input(ProjectFields)
    .mutation(({ ctx, input }) => ctx.store.projects.create(given(input), ctx.actor.userId)),

  update: teamDoor('project.write', 'project')
    .input(ProjectFields.partial().extend({ projectId: ProjectId }))
    .mutation(({ ctx, input: { projectId, ...fields } }) =>
      ctx.store.projects.update(projectId, given(fields), ctx.actor.userId),
    ),

  delete: teamDoor('project.delete', 'project')
    .input(z.object({ projectId: ProjectId }))
    .mutation(async ({ ctx, input }) => {
      await ctx.store.projects.remove(input.projectId, ctx.actor.userId)
      return { projectId: input.projectId }
    }),
})
