import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../../api/http.ts'
import { queries } from '../../api/queries.ts'
import { useSession } from '../../hooks/use-session.ts'

/** Well inside of the day that such a key works for. */
const freshMs = 12 * 60 * 60_000

/** Id of the last such key of this window, while its command has not been taken anywhere. */
const idleKey = 'farhand.one-use-key'
export const keepOneUseKey = () => sessionStorage.removeItem(idleKey)

/** Removes the key that an earlier load of the page made and nobody took: its secret is gone with that page. */
async function dropIdleKey(tenantId: string) {
  const keyId = sessionStorage.getItem(idleKey)
  if (keyId) {
    keepOneUseKey()
    await api.installerKeys.delete({ tenantId, params: { keyId } }).catch(() => {})
  }
}

/** A key for one device, made without a question. Coming back to the page finds the same one until it is used. */
export function useOneUseKey(isWanted: boolean) {
  const { tenantId } = useSession().user
  const client = useQueryClient()
  const key = useQuery({
    queryKey: ['one-use-key', tenantId],
    queryFn: async () => {
      await dropIdleKey(tenantId)
      const made = await api.installerKeys.create({ body: { tenantId, keyType: 'UsageBased', allowedUses: 1 } })
      sessionStorage.setItem(idleKey, made.id)
      void client.invalidateQueries({ queryKey: queries.installerKeys(tenantId).queryKey })
      return made
    },
    enabled: isWanted,
    staleTime: freshMs,
    gcTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const { data: usages } = useQuery({
    ...queries.installerKeyUsages(tenantId, key.data?.id ?? ''),
    enabled: key.data !== undefined,
  })
  const isSpent = usages !== undefined && usages.length > 0
  useEffect(() => {
    if (isSpent) {
      keepOneUseKey()
    }
  }, [isSpent])
  useEffect(
    () => () => {
      if (isSpent) {
        client.removeQueries({ queryKey: ['one-use-key', tenantId] })
      }
    },
    [client, tenantId, isSpent],
  )
  return { key: key.data, error: key.error, isSpent, makeAnother: () => void key.refetch() }
}
