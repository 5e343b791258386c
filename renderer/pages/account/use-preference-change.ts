import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/http.ts'
import { queries } from '../../api/queries.ts'
import { useSession } from '../../hooks/use-session.ts'

/** Stores one preference of the person on the server; a blank value removes it. */
export function usePreferenceChange(name: string) {
  const client = useQueryClient()
  const { tenantId } = useSession().user
  return useMutation({
    mutationFn: (value: string) => api.userPreferences.set({ tenantId, body: { name, value } }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: queries.session.queryKey }),
        client.invalidateQueries({ queryKey: queries.preferences(tenantId).queryKey }),
      ]),
  })
}
