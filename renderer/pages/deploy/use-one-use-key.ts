import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { hourMs } from '../../../shared/durations.ts'
import { api } from '../../api/http.ts'
import { deployQueries } from '../../api/deploy-queries.ts'
import { invalidate, queryClient } from '../../api/query-client.ts'
import { tabStorage } from '../../api/storage.ts'
import { useSession } from '../../hooks/use-session.ts'

/** Shorter than the day for which such a key is valid. */
const freshMs = 12 * hourMs

/** Storage key for the id of this window's last one-use key, until its command is copied. */
const idleKey = 'farhand.one-use-key'
export const keepOneUseKey = () => tabStorage.remove(idleKey)

/** Deletes an unused key of an earlier page load, whose secret is lost with that page. */
async function dropIdleKey() {
  const keyId = tabStorage.get(idleKey)
  if (keyId) {
    keepOneUseKey()
    await api.installerKeys.delete({ params: { keyId } }).catch(() => {})
  }
}

/** Installer key for one device, created automatically. Returning to the page finds the same key until it is used. */
export function useOneUseKey(isWanted: boolean) {
  const { tenantId } = useSession().user
  const key = useQuery({
    queryKey: ['one-use-key'],
    queryFn: async () => {
      await dropIdleKey()
      const made = await api.installerKeys.create({ body: { tenantId, keyType: 'UsageBased', allowedUses: 1 } })
      tabStorage.set(idleKey, made.id)
      void invalidate(deployQueries.installerKeys.queryKey)
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
    ...deployQueries.installerKeyUsages(key.data?.id ?? ''),
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
        queryClient.removeQueries({ queryKey: ['one-use-key'] })
      }
    },
    [isSpent],
  )
  return { key: key.data, error: key.error, isSpent, makeAnother: () => void key.refetch() }
}
