import { useMutation, useQuery } from '@tanstack/react-query'
import type { PermissionName } from '../../shared/access.ts'
import { desktop } from '../api/desktop.ts'
import { api } from '../api/http.ts'
import { accountQueries, firstStepsPreference } from '../api/account-queries.ts'
import { useSession } from './use-session.ts'
import { queryClient } from '../api/query-client.ts'

export type FirstStep = 'secure' | 'start' | 'network' | 'transfers' | 'backup' | 'device'

const needs: Partial<Record<FirstStep, PermissionName>> = {
  network: 'server.settings.write',
  transfers: 'server.settings.write',
  backup: 'server.permissions.write',
  device: 'agent.install',
}

/** Steps of a new owner, and the current step. The server stores the current step, so any browser resumes there. */
export function useFirstSteps() {
  const { can } = useSession()
  const query = accountQueries.firstSteps
  const { data: stored = null } = useQuery(query)
  const all: FirstStep[] = [
    'secure',
    ...(desktop ? (['start'] as const) : []),
    'network',
    'transfers',
    'backup',
    'device',
  ]
  const steps = all.filter((step) => {
    const permission = needs[step]
    return permission === undefined || can(permission)
  })
  const at = steps.findIndex((step) => step === stored)
  const store = useMutation({
    mutationFn: (value: string) => api.userPreferences.set({ body: { name: firstStepsPreference, value } }),
    onMutate: async (value) => {
      // An answer that is under way would undo the step.
      await queryClient.cancelQueries({ queryKey: query.queryKey })
      queryClient.setQueryData(query.queryKey, value || null)
    },
  })
  return {
    steps,
    /** Index of the current step; undefined if none is left. */
    at: at === -1 ? undefined : at,
    goTo: (step: FirstStep | undefined) => store.mutateAsync(step ?? ''),
    error: store.error,
  }
}
