import { useMutation, useQueryClient } from '@tanstack/react-query'
import { queries, type DeviceSearch } from '../../api/queries.ts'
import type { Selection } from './use-selection.ts'

/** Selects all devices of a search, including pages that are not loaded. */
export function useSelectAll(search: DeviceSearch, selection: Selection) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => client.fetchQuery({ ...queries.allDevices(search), staleTime: 0 }),
    onSuccess: selection.add,
  })
}
