import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'

/**
 * The state of a page that lives in the query of its address. A change goes on from what the address says at that moment:
 * the page is drawn a little later, and `useSearchParams` alone would take back a change that it has not drawn yet.
 */
export function useAddressState<State extends object>(
  read: (query: URLSearchParams) => State,
  write: (state: State) => URLSearchParams,
) {
  const [query, setQuery] = useSearchParams()
  const state = useMemo(() => read(query), [read, query])
  const change = useCallback(
    (changes: Partial<State>, isReplacing = true) => {
      const now = read(new URLSearchParams(window.location.search))
      setQuery(write({ ...now, ...changes }), { replace: isReplacing })
    },
    [read, write, setQuery],
  )
  return [state, change] as const
}
