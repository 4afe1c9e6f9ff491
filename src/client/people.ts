/** The team's people as dialogs read them. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { TeamRole } from '../protocol/access.ts'
import { api, type Outputs } from './api.ts'
import { useMe } from './query.ts'

const keys = { members: ['members'] as const }

/** The reader's role in the team; null until it is known. */
export const useTeamRole = (): TeamRole | null => useMe().data?.user?.role ?? null

export const useMembers = (enabled = true): UseQueryResult<Outputs['member']['list']> =>
  useQuery({ queryKey: keys.members, queryFn: () => api.member.list.query(), enabled })
