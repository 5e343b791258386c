import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { applianceDeviceSearch } from '../../../shared/api/appliance-device-search.ts'
import { buildUrl } from '../../../shared/contract/client.ts'
import { saveAddress } from '../../features/transfers/download.ts'
import * as t from '../../texts.ts'
import { sortProperties, type ListState } from './list-url.ts'
import type { DeviceColumns } from './use-columns.ts'

/** Saves the list as it is: every device that the filters match, with the chosen columns, in this order. */
export const useExport = ({ text, sort, isDescending }: ListState, { chosenIds }: DeviceColumns) =>
  useMutation({
    mutationFn: () =>
      saveAddress(
        buildUrl(applianceDeviceSearch.routes.export.path, {
          query: {
            query: text.trim(),
            columns: chosenIds.join(','),
            sort: sortProperties[sort],
            descending: isDescending,
          },
        }),
      ),
    onError: () => notifications.show({ color: 'danger', message: t.devices.exportFailed }),
  })
