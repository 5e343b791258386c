import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { fraction } from '../../text/format.ts'
import type { ListState, SortColumn } from './list-url.ts'

const values: Partial<Record<SortColumn, (device: DeviceResponseDto) => number>> = {
  status: ({ isOnline }) => Number(isOnline),
  cpu: ({ cpuUtilization }) => cpuUtilization,
  memory: ({ usedMemory, totalMemory }) => fraction(usedMemory, totalMemory),
  disk: ({ usedStorage, totalStorage }) => fraction(usedStorage, totalStorage),
}

/** Whether values have changed so that rows are not in sort order any more. */
export function isOutOfOrder(
  rows: readonly DeviceResponseDto[],
  { sort, isDescending }: Pick<ListState, 'sort' | 'isDescending'>,
) {
  const valueOf = values[sort]
  return (
    valueOf !== undefined &&
    rows.some((device, index) => {
      const before = rows[index - 1]
      return before !== undefined && (valueOf(device) - valueOf(before)) * (isDescending ? -1 : 1) < 0
    })
  )
}
