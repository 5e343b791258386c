import { useMutation, useQueryClient } from '@tanstack/react-query'
import { queries, type DeviceSearch } from '../../api/queries.ts'
import type { Selection } from './use-selection.ts'

/** Selects every device of a search, those that nobody has scrolled to included. */
export function useSelectAll(search: DeviceSearch, selection: Selection) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => client.fetchQuery({ ...queries.allDevices(search), staleTime: 0 }),
    onSuccess: selection.add,
  })
}
