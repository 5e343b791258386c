import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'

/**
 * Page state in the query of the address. A change starts from the current address: React renders later, and
 * `useSearchParams` alone would drop a change that is not rendered yet.
 */
export function useAddressState<State extends object>(
  read: (query: URLSearchParams) => State,
  write: (state: State) => URLSearchParams,
) {
  const [query, setQuery] = useSearchParams()
  const state = useMemo(() => read(query), [read, query])
  const change = useCallback(
    (changes: Partial<State> | ((now: State) => Partial<State>), isReplacing = true) => {
      const now = read(new URLSearchParams(window.location.search))
      setQuery(write({ ...now, ...(typeof changes === 'function' ? changes(now) : changes) }), { replace: isReplacing })
    },
    [read, write, setQuery],
  )
  return [state, change] as const
}
