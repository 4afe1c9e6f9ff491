/**
 * Puts the parts of this room together over one set of connections.
 */
import { audited, auditedBy, auditRow, createAuditStore } from './audit.ts'
import { createBlobStore } from './blobs.ts'
import { openDb } from './db.ts'
import { createDraftStore } from './drafts.ts'
import { createHistoryStore } from './history.ts'
import { createImportStore } from './imports.ts'
import { createInviteStore } from './invites.ts'
import { createLeaseStore } from './leases.ts'
import { createLinkStore } from './links.ts'
import { createLogStore } from './log.ts'
import { createMemberStore } from './members.ts'
import { createNoteStore } from './notes.ts'
import { createOpStore } from './ops.ts'
import { guarded, openClient } from './prisma.ts'
import { createProjectStore } from './projects.ts'
import { createProviderStore } from './providers.ts'
import { createReviewStore } from './reviews.ts'
import { createRolloutStore } from './rollouts.ts'
import { createSandboxStore } from './sandboxes.ts'
import { createSearchStore } from './search.ts'
import { createSessionStore } from './sessions.ts'
import { createSharingStore } from './sharing.ts'
import { createThreadStore } from './threads.ts'
import { createTokenStore } from './tokens.ts'
import type { Store } from './types.ts'
import { createWholeStore } from './whole.ts'
import { createWindowStore } from './windows.ts'

export type StoreOptions = {
  databaseUrl: string
  /** 32 bytes; encrypts the keys of providers. */
  secretKey: Uint8Array
}

/** Opens the store on a migrated database. Connections are made when they are needed. */
export const createStore = ({ databaseUrl, secretKey }: StoreOptions): Store => {
  const db = openDb(databaseUrl)
  const client = openClient(db)
  const members = createMemberStore(db)
  const teamId = async (): Promise<string> => (await members.team()).id
  const threads = createThreadStore(db)
  return {
    members,
    invites: createInviteStore(db, teamId),
    sessions: createSessionStore(db),
    tokens: createTokenStore(db),
    sharing: createSharingStore(db, threads.told),
    links: createLinkStore(db),
    auditLog: createAuditStore(db),
    providers: createProviderStore(client, secretKey, teamId),
    projects: createProjectStore(db, client, teamId),
    threads,
    leases: createLeaseStore(db),
    log: createLogStore(db),
    ops: createOpStore(db),
    windows: createWindowStore(db),
    whole: createWholeStore(db),
    blobs: createBlobStore(db),
    imports: createImportStore(db),
    drafts: createDraftStore(db),
    sandboxes: createSandboxStore(client),
    notes: createNoteStore(db),
    history: createHistoryStore(db),
    search: createSearchStore(db),
    rollouts: createRolloutStore(db),
    reviews: createReviewStore(db, teamId),
    authClient: client,
    audited,
    auditedBy,
    audit: async (entry) => {
      await guarded('audit', () => auditRow(client, entry))
    },
    health: async () => {
      try {
        await db.pool.query('select 1')
        return true
      } catch {
        return false
      }
    },
    close: async () => {
      await client.$disconnect()
      await db.close()
    },
  }
}
