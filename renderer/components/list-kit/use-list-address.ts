import { useCallback, useMemo } from 'react'
import { useAddressState } from '../../hooks/use-address-state.ts'

type ListAddress<Name extends string> = Record<Name | 'open', string>

/**
 * Filters of a list in the address, each an empty string while it is off, and `open`: the id of the thing in the side
 * pane. Opening and closing the pane adds a history entry; a change of filters replaces it.
 */
export function useListAddress<const Name extends string>(names: readonly Name[]) {
  const key = names.join(' ')
  const [read, write] = useMemo(() => {
    const all = [...(key.split(' ') as Name[]), 'open' as const]
    return [
      (query: URLSearchParams) =>
        Object.fromEntries(all.map((name) => [name, query.get(name) ?? ''])) as ListAddress<Name>,
      (state: ListAddress<Name>) =>
        new URLSearchParams(all.flatMap((name) => (state[name] ? [[name, state[name]]] : []))),
    ]
  }, [key])
  const [state, changeAddress] = useAddressState(read, write)
  const isOpen = state.open !== ''
  const change = useCallback(
    (changes: Partial<ListAddress<Name>>) =>
      changeAddress(changes, !('open' in changes) || (isOpen && changes.open !== '')),
    [changeAddress, isOpen],
  )
  return [state, change] as const
}
