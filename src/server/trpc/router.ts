/**
 * All procedures. `AppRouter` is the only thing the browser knows of this room, as a type.
 */
import { z } from 'zod'
import { UserId } from '../../protocol/ids.ts'
import { router, teamDoor, visitorDoor } from './base.ts'
import { compareRouter } from './routers/compare.ts'
import { exportRouter } from './routers/export.ts'
import { historyRouter } from './routers/history.ts'
import { importRouter } from './routers/import.ts'
import { noteRouter } from './routers/note.ts'
import { labelRouter, reviewRouter } from './routers/review.ts'
import { rolloutRouter } from './routers/rollout.ts'
import { projectRouter, providerRouter } from './routers/settings.ts'
import { threadRouter } from './routers/thread.ts'

const sessionRouter = router({
  me: visitorDoor.query(async ({ ctx }) => ({
    user: ctx.actor
      ? { id: ctx.actor.userId, name: ctx.actor.name, email: ctx.actor.email, role: ctx.actor.role }
      : null,
    setupNeeded: (await ctx.store.members.count()) === 0,
    version: ctx.version,
  })),
})

const memberRouter = router({
  names: teamDoor('team.read')
    .input(z.object({ ids: z.array(UserId).max(200) }))
    .query(async ({ ctx, input }) => {
      const wanted = new Set(input.ids)
      const members = await ctx.store.members.list()
      return members
        .filter(({ userId }) => wanted.has(userId))
        .map(({ userId, name }) => ({ id: userId, name }))
    }),
})

const serverRouter = router({
  health: teamDoor('team.read').query(({ ctx }) => ctx.worker.health()),
})

export const appRouter = router({
  session: sessionRouter,
  thread: threadRouter,
  note: noteRouter,
  history: historyRouter,
  rollout: rolloutRouter,
  export: exportRouter,
  compare: compareRouter,
  import: importRouter,
  review: reviewRouter,
  label: labelRouter,
  provider: providerRouter,
  project: projectRouter,
  member: memberRouter,
  server: serverRouter,
})

export type AppRouter = typeof appRouter
