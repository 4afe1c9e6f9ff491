/** The team's people as settings and dialogs read and change them: members, invitations, accounts of scripts. */
import {
  type QueryKey,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { ApiToken, Invite, TeamRole } from '../protocol/access.ts'
import { api, type Inputs, type Outputs } from './api.ts'
import { keys as lists, useMe } from './query.ts'

const keys = {
  members: ['members'] as const,
  invites: ['invites'] as const,
  serviceTokens: (userId: string) => ['service-tokens', userId] as const,
}

/** Whether the reader keeps the team: its people, providers and settings. */
export function useIsKeeper(): boolean {
  const role = useMe().data?.user?.role
  return role === 'owner' || role === 'admin'
}

/** The reader's role in the team; null until it is known. */
export const useTeamRole = (): TeamRole | null => useMe().data?.user?.role ?? null

export const useMembers = (enabled = true): UseQueryResult<Outputs['member']['list']> =>
  useQuery({ queryKey: keys.members, queryFn: () => api.member.list.query(), enabled })

export const useInvites = (): UseQueryResult<Invite[]> =>
  useQuery({ queryKey: keys.invites, queryFn: () => api.invite.list.query() })

export const useServiceTokens = (userId: string): UseQueryResult<ApiToken[]> =>
  useQuery({
    queryKey: keys.serviceTokens(userId),
    queryFn: () => api.service.tokens.query({ userId }),
  })

/** A change after which these lists are read again, whether it worked or not. */
function useChange<Input, Output>(
  again: (input: Input) => readonly QueryKey[],
  send: (input: Input) => Promise<Output>,
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSettled: (_output, _error, input) =>
      Promise.all(again(input).map((queryKey) => queries.invalidateQueries({ queryKey }))),
  })
}

export type MemberChange =
  | { type: 'role'; userId: string; role: TeamRole }
  | { type: 'disabled'; userId: string; disabled: boolean }
  | { type: 'remove'; userId: string }
  | { type: 'endSessions'; userId: string }
  | { type: 'handOver'; fromUserId: string; toUserId: string }

const sendMember = (change: MemberChange): Promise<unknown> => {
  switch (change.type) {
    case 'role':
      return api.member.setRole.mutate({ userId: change.userId, role: change.role })
    case 'disabled':
      return api.member.setDisabled.mutate({ userId: change.userId, disabled: change.disabled })
    case 'remove':
      return api.member.remove.mutate({ userId: change.userId })
    case 'endSessions':
      return api.member.endSessions.mutate({ userId: change.userId })
    case 'handOver':
      return api.member.handOverThreads.mutate({
        fromUserId: change.fromUserId,
        toUserId: change.toUserId,
      })
  }
}

/** Changes one member; one's own role is read again, too. */
export const useChangeMember = () => useChange(() => [keys.members, lists.me], sendMember)
export const useLeaveTeam = () => useMutation({ mutationFn: () => api.member.leave.mutate() })

export const useCreateInvite = () =>
  useChange(
    () => [keys.invites],
    (input: Inputs['invite']['create']) => api.invite.create.mutate(input),
  )
export const useRevokeInvite = () =>
  useChange(
    () => [keys.invites],
    (inviteId: string) => api.invite.revoke.mutate({ inviteId }),
  )

export const useCreateService = () =>
  useChange(
    () => [keys.members],
    (input: Inputs['service']['create']) => api.service.create.mutate(input),
  )
export const useCreateServiceToken = () =>
  useChange(
    ({ userId }) => [keys.serviceTokens(userId)],
    (input: Inputs['service']['createToken']) => api.service.createToken.mutate(input),
  )
export const useRevokeServiceToken = () =>
  useChange(
    ({ userId }) => [keys.serviceTokens(userId)],
    (input: Inputs['service']['revokeToken']) => api.service.revokeToken.mutate(input),
  )
