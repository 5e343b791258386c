import { useCallback, useMemo } from 'react'
import { useAddressState } from '../../hooks/use-address-state.ts'
import type { RowId } from './use-row-selection.ts'

/** Filters and open row of a list, which its page and its rows share. */
export interface ListFrame<Id extends RowId = string> {
  openId: Id | undefined
  /** Opens the side pane of a row; without an id the pane closes. */
  onOpen: (id: Id | undefined) => void
  isFiltered: boolean
  onClearFilters: () => void
}

type ListAddress<Name extends string> = Record<Name | 'open', string>

/**
 * Filters of a list in the address, each an empty string while it is off, other parts of the address, and `open`: the id
 * of the thing in the side pane. Opening and closing the pane adds a history entry; a change of filters replaces it.
 */
export function useListAddress<const Filter extends string, const Other extends string = never>(
  filters: readonly Filter[],
  others: readonly Other[] = [],
) {
  type Name = Filter | Other
  const key = [...filters, ...others].join(' ')
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
  const list: ListFrame = {
    openId: state.open || undefined,
    onOpen: (id) => change({ open: id ?? '' } as Partial<ListAddress<Name>>),
    isFiltered: filters.some((name) => state[name] !== ''),
    onClearFilters: () => change(Object.fromEntries(filters.map((name) => [name, ''])) as Partial<ListAddress<Name>>),
  }
  return [state, change, list] as const
}
