/** Calls of the settings pages; lists are read again after each change. */
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ModelInfo, ProviderKind } from '../protocol/settings.ts'
import { api, type Inputs, type Outputs } from './api.ts'
import { keys } from './query.ts'

export type SaveProvider = Inputs['provider']['save']
/** `demo` is made by the server alone. */
export type EditableKind = Exclude<ProviderKind, 'demo'>

export const useHealth = (): UseQueryResult<Outputs['server']['health']> =>
  useQuery({
    queryKey: ['health'],
    queryFn: () => api.server.health.query(),
    staleTime: 0,
    refetchInterval: 15_000,
  })

/** Models that are known for a wire before the vendor was asked. */
export const useCatalogue = (kind: EditableKind): UseQueryResult<ModelInfo[]> =>
  useQuery({
    queryKey: ['catalogue', kind],
    queryFn: () => api.provider.catalogue.query({ kind }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** A change of settings; `list` is read again whether it worked or not. */
function useChange<Input, Output>(list: readonly string[], send: (input: Input) => Promise<Output>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSettled: () => queries.invalidateQueries({ queryKey: list }),
  })
}

export const useSaveProvider = () =>
  useChange(keys.providers, (input: SaveProvider) => api.provider.save.mutate(input))
export const useDeleteProvider = () =>
  useChange(keys.providers, (id: string) => api.provider.delete.mutate({ id }))
export const useTestProvider = () =>
  useMutation({
    mutationFn: (input: Inputs['provider']['test']) => api.provider.test.mutate(input),
  })

export const useCreateProject = () =>
  useChange(keys.projects, (input: Inputs['project']['create']) => api.project.create.mutate(input))
export const useUpdateProject = () =>
  useChange(keys.projects, (input: Inputs['project']['update']) => api.project.update.mutate(input))
export const useDeleteProject = () =>
  useChange(keys.projects, (projectId: string) => api.project.delete.mutate({ projectId }))
