/** Somebody for tests that begin behind the doors. */
import { newId } from '../../src/protocol/ids.ts'
import type { Actor } from '../../src/server/access/types.ts'

export const testActor = (known: Partial<Actor> = {}): Actor => ({
  userId: newId('usr'),
  kind: 'person',
  role: 'member',
  name: 'n',
  email: 'e@example.org',
  via: { type: 'session', sessionId: 's' },
  ...known,
})
