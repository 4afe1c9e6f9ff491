/**
 * All procedures. `AppRouter` is the only thing the browser knows of this room, as a type.
 */
import { router, teamDoor } from './base.ts'
import { auditRouter, sessionRouter, tokenRouter } from './routers/account.ts'
import { compareRouter } from './routers/compare.ts'
import { exportRouter } from './routers/export.ts'
import { historyRouter } from './routers/history.ts'
import { importRouter } from './routers/import.ts'
import { linkRouter } from './routers/link.ts'
import { noteRouter } from './routers/note.ts'
import { inviteRouter, memberRouter, serviceRouter } from './routers/people.ts'
import { labelRouter, reviewRouter } from './routers/review.ts'
import { rolloutRouter } from './routers/rollout.ts'
import { projectRouter, providerRouter } from './routers/settings.ts'
import { sharingRouter } from './routers/sharing.ts'
import { threadRouter } from './routers/thread.ts'

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
  invite: inviteRouter,
  service: serviceRouter,
  token: tokenRouter,
  audit: auditRouter,
  sharing: sharingRouter,
  link: linkRouter,
  server: serverRouter,
})

export type AppRouter = typeof appRouter
