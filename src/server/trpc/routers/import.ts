/** Imports of the caller: how far they are, what came of them, an end to one that runs. */
import { z } from 'zod'
import { ImportId } from '../../../protocol/ids.ts'
import { router, teamDoor } from '../base.ts'

const one = z.object({ importId: ImportId })

export const importRouter = router({
  state: teamDoor('rollout.import')
    .input(one)
    .query(({ ctx, input }) => ctx.imports.state(input.importId, ctx.actor.userId)),

  list: teamDoor('rollout.import').query(({ ctx }) => ctx.imports.list(ctx.actor.userId)),

  cancel: teamDoor('rollout.import')
    .input(one)
    .mutation(({ ctx, input }) => ctx.imports.cancel(input.importId, ctx.actor.userId)),
})
