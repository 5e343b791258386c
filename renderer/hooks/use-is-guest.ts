import { useQuery } from '@tanstack/react-query'
import { sessionQueries } from '../api/session-queries.ts'

/** Whether a link to a device began this session; undefined until that is known. */
export function useIsGuest(): boolean | undefined {
  const { data } = useQuery(sessionQueries.guest)
  return data === undefined ? undefined : data !== null
}
