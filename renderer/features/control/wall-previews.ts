import { queryOptions } from '@tanstack/react-query'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { limitConcurrency } from '../../api/limit-concurrency.ts'
import { previewOf, takePicture } from './previews.ts'

/** Devices with live pictures on one page: each picture costs its device a whole capture. */
export const mostScreens = 24
const liveEveryMs = 4_000
const asLive = limitConcurrency(3)

/** Image of a desktop for a page with many, refreshed as often as devices and browser can. */
export const livePreviewOf = (device: DeviceResponseDto, processId: number, isShown: boolean) =>
  queryOptions({
    ...previewOf(device, processId, isShown),
    queryFn: ({ signal }) => asLive(() => takePicture(device, processId, signal)),
    refetchInterval: liveEveryMs,
    staleTime: liveEveryMs,
  })
