import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { onCaughtUp } from './heartbeats.ts'
import { onDeviceUpdate, onRightsChange } from './hubs.ts'
import type { DevicePage } from './keep-order.ts'
import { deviceQueries, devicePages, withDevices } from './device-queries.ts'
import { sessionQueries } from './session-queries.ts'
import { invalidate, queryClient } from './query-client.ts'

/** Devices of the cached lists, in their latest known state. */
export function cachedDevices(): ReadonlyMap<string, DeviceResponseDto> {
  const cached = queryClient.getQueriesData<DevicePage>({ queryKey: devicePages })
  return new Map(cached.flatMap(([, page]) => (page?.items ?? []).map((device) => [device.id, device] as const)))
}

const settleMs = 100

/** Writes new device states into all cached lists and device queries. */
export function writeDevices(devices: ReadonlyMap<string, DeviceResponseDto>) {
  queryClient.setQueriesData<DevicePage>({ queryKey: devicePages }, (page) => page && withDevices(page, devices))
  devices.forEach((device, id) => queryClient.setQueryData(deviceQueries.device(id).queryKey, device))
}

/** Writes live updates into the cache; reloads what updates cannot tell: missed ones, and changes of rights. */
export function followDeviceUpdates() {
  const waiting = new Map<string, DeviceResponseDto>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const flush = () => {
    timer = undefined
    writeDevices(waiting)
    waiting.clear()
  }

  let rightsTimer: ReturnType<typeof setTimeout> | undefined
  const readRights = () => {
    rightsTimer = undefined
    void invalidate(sessionQueries.session.queryKey, ['devices'])
  }

  const stops = [
    onDeviceUpdate((device) => {
      waiting.set(device.id, device)
      timer ??= setTimeout(flush, settleMs)
    }),
    onCaughtUp(() => void invalidate(['devices'])),
    onRightsChange(() => (rightsTimer ??= setTimeout(readRights, settleMs))),
  ]
  return () => {
    clearTimeout(timer)
    clearTimeout(rightsTimer)
    stops.forEach((stop) => stop())
  }
}
