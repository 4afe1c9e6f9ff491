/**
 * Who comes with a session or a token, as the database says at this moment. Nothing is remembered between two calls.
 */
import type { Member, Store, TokenUse } from '../store/types.ts'
import type { Actor } from './types.ts'

type People = Pick<Store, 'members' | 'tokens'>

const actorOf = ({ userId, kind, role, name, email }: Member, via: Actor['via']): Actor => ({
  ...{ userId, kind, role, name, email },
  via,
})

const ofToken = ({ tokenId, scopes, member }: TokenUse): Actor =>
  actorOf(member, { type: 'token', tokenId, scopes })

/** Null when the session ended, or its member is disabled or gone. */
export const sessionActor = async (store: People, sessionId: string): Promise<Actor | null> => {
  const member = (await store.members.ofSessions([sessionId])).get(sessionId)
  return member ? actorOf(member, { type: 'session', sessionId }) : null
}

/** The secret of an `Authorization: Bearer …` header; null without one. */
export const bearerOf = (authorization: string | undefined): string | null =>
  /^Bearer +(\S{1,200}) *$/i.exec(authorization ?? '')?.[1] ?? null

/** Null when the secret is no valid token. */
export const tokenActor = async (store: People, secret: string): Promise<Actor | null> => {
  const use = await store.tokens.use(secret)
  return use ? ofToken(use) : null
}

/** The same actors as they are now, by the id of their session or token; those who may not come in are absent. */
export const actorsNow = async (store: People, actors: Actor[]): Promise<Map<string, Actor>> => {
  const sessionIds = actors.flatMap(({ via }) => (via.type === 'session' ? [via.sessionId] : []))
  const tokenIds = actors.flatMap(({ via }) => (via.type === 'token' ? [via.tokenId] : []))
  const [sessions, tokens] = await Promise.all([
    sessionIds.length === 0 ? new Map<string, Member>() : store.members.ofSessions([...new Set(sessionIds)]),
    tokenIds.length === 0 ? new Map<string, TokenUse>() : store.tokens.alive([...new Set(tokenIds)]),
  ])
  return new Map([
    ...[...sessions].map(
      ([sessionId, member]) => [sessionId, actorOf(member, { type: 'session', sessionId })] as const,
    ),
    ...[...tokens].map(([tokenId, use]) => [tokenId, ofToken(use)] as const),
  ])
}

/** The id of the session or token by which somebody came in. */
export const viaId = ({ via }: Actor): string => (via.type === 'session' ? via.sessionId : via.tokenId)
