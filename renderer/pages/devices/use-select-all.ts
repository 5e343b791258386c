import { useMutation } from '@tanstack/react-query'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { api } from '../../api/http.ts'
import type { DeviceSearch } from '../../api/queries.ts'
import type { Selection } from './use-selection.ts'

const pageSize = 500

/** Picks every device of a search, those that nobody has scrolled to included. */
export function useSelectAll(search: DeviceSearch, selection: Selection) {
  return useMutation({
    mutationFn: async () => {
      const devices: DeviceResponseDto[] = []
      let total = 1
      for (let page = 0; page * pageSize < total; page++) {
        const { items, totalItems } = await api.devices.search({ body: { ...search, page, pageSize } })
        devices.push(...items)
        total = totalItems
      }
      return devices
    },
    onSuccess: selection.add,
  })
}
