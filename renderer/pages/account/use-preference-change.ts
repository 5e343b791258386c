import { useMutation } from '@tanstack/react-query'
import { api } from '../../api/http.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { sessionQueries } from '../../api/session-queries.ts'
import { invalidate } from '../../api/query-client.ts'

/** Stores one preference of the person on the server; a blank value removes it. */
export function usePreferenceChange(name: string) {
  return useMutation({
    mutationFn: (value: string) => api.userPreferences.set({ body: { name, value } }),
    onSuccess: () => invalidate(sessionQueries.session.queryKey, accountQueries.preferences.queryKey),
  })
}
