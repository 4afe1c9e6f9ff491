/**
 * Tokens of scripts: `bat_` and 256 random bits, shown once; only their SHA-256 is kept. A token that is revoked or
 * expired, or whose member is disabled or gone, is nobody's from that moment on.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { ApiToken, TokenScope } from '../../protocol/access.ts'
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import { cleanText } from './append.ts'
import { auditQuery } from './audit.ts'
import type { Db } from './db.ts'
import type { Member, TokenStore, TokenUse } from './people-types.ts'

const form = /^bat_[A-Za-z0-9_-]{43}$/
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** The last use is written down at most so often. */
const coarse = `interval '5 minutes'`
/** Tokens that one account may have at once. */
const maxTokens = 100

type Row = Omit<ApiToken, 'createdAt' | 'expiresAt' | 'lastUsedAt' | 'revokedAt'> &
  Record<'createdAt', Date> &
  Record<'expiresAt' | 'lastUsedAt' | 'revokedAt', Date | null>

const columns = `k.id, k."userId", k.name, k.hint, k.scopes, k."createdAt", k."createdBy", k."expiresAt", k."lastUsedAt",
  k."revokedAt"`

const toToken = (row: Row): ApiToken => ({
  ...row,
  createdAt: row.createdAt.getTime(),
  expiresAt: row.expiresAt?.getTime() ?? null,
  lastUsedAt: row.lastUsedAt?.getTime() ?? null,
  revokedAt: row.revokedAt?.getTime() ?? null,
})

const valid = `k."revokedAt" is null and (k."expiresAt" is null or k."expiresAt" > now()) and not m.disabled`

type UseRow = Member & { tokenId: string; scopes: TokenScope[]; stale: boolean }

const useColumns = `k.id as "tokenId", k.scopes, m."userId", u.kind, u.name,
  case when u.kind = 'service' then '' else u.email end as email, m.role, m.disabled,
  k."lastUsedAt" is null or k."lastUsedAt" < now() - ${coarse} as stale
  from "ApiToken" k join "Member" m on m."userId" = k."userId" join "User" u on u.id = k."userId"`

const toUse = ({ tokenId, scopes, stale: _stale, ...member }: UseRow): TokenUse => ({
  tokenId,
  scopes,
  member,
})

const missing = (): Fault => new Fault('not_found', 'There is no such token.', 'Reload the list.')

export const createTokenStore = (db: Db): TokenStore => ({
  create: async ({ userId, name, scopes, expiresInMs }, actorId) => {
    const id = newId('tok')
    const secret = `bat_${randomBytes(32).toString('base64url')}`
    const token = await db.transaction(async (client) => {
      await client.query(`select 1 from "User" where id = $1 for update`, [userId])
      const { rows: known } = await client.query<{ n: number }>(
        `select count(*)::int4 as n from "ApiToken" where "userId" = $1 and "revokedAt" is null`,
        [userId],
      )
      if ((known[0]?.n ?? 0) >= maxTokens)
        throw new Fault('limit_reached', `An account has at most ${maxTokens} tokens.`, 'Revoke one first.')
      await client.query(
        `insert into "ApiToken" (id, "userId", name, "tokenHash", hint, scopes, "createdBy", "expiresAt")
         values ($1, $2, $3, $4, $5, $6, $7, now() + $8::float8 * interval '1 millisecond')`,
        [id, userId, cleanText(name), hashOf(secret), secret.slice(-4), scopes, actorId, expiresInMs],
      )
      await auditQuery(client, {
        ...{ actorId, action: 'token.create', targetType: 'token', targetId: id },
        details: { name, scopes, userId, expiresInMs },
      })
      const { rows } = await client.query<Row>(`select ${columns} from "ApiToken" k where k.id = $1`, [id])
      return rows[0]
    })
    if (!token) throw missing()
    return { token: toToken(token), secret }
  },

  list: async (userId) => {
    const rows = await db.query<Row>(
      `select ${columns} from "ApiToken" k where k."userId" = $1 order by k."createdAt" desc, k.id desc limit 500`,
      [userId],
    )
    return rows.map(toToken)
  },

  revoke: async (tokenId, userId, actorId) => {
    const token = await db.transaction(async (client) => {
      const { rowCount } = await client.query(
        `update "ApiToken" set "revokedAt" = now(), "revokedBy" = $3
         where id = $1 and "userId" = $2 and "revokedAt" is null`,
        [tokenId, userId, actorId],
      )
      if (rowCount === 1)
        await auditQuery(client, {
          ...{ actorId, action: 'token.revoke', targetType: 'token', targetId: tokenId },
          details: { userId },
        })
      const { rows } = await client.query<Row>(
        `select ${columns} from "ApiToken" k where k.id = $1 and k."userId" = $2`,
        [tokenId, userId],
      )
      return rows[0]
    })
    if (!token) throw missing()
    return toToken(token)
  },

  use: async (secret) => {
    if (!form.test(secret)) return null
    const [row] = await db.query<UseRow>(`select ${useColumns} where k."tokenHash" = $1 and ${valid}`, [
      hashOf(secret),
    ])
    if (!row) return null
    if (row.stale)
      await db.query(
        `update "ApiToken" set "lastUsedAt" = date_trunc('minute', now())
         where id = $1 and ("lastUsedAt" is null or "lastUsedAt" < now() - ${coarse})`,
        [row.tokenId],
      )
    return toUse(row)
  },

  alive: async (tokenIds) => {
    const rows = await db.query<UseRow>(`select ${useColumns} where k.id = any($1) and ${valid}`, [tokenIds])
    return new Map(rows.map((row) => [row.tokenId, toUse(row)]))
  },
})
