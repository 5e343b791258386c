import { devices, type DeviceSearchRequestDto } from '../../shared/api/devices.ts'
import type { OpenCall, OpenRouteCall } from '../call.ts'
import { mapInSlices } from '../clock.ts'
import { badRequest } from '../errors.ts'
import { keepJson } from '../json.ts'
import type { DeviceList } from '../mirrors/fleet/device-list.ts'
import type { DeviceState } from '../mirrors/fleet/device-state.ts'
import { ignoredFilters, type Test } from '../mirrors/fleet/search-filters.ts'
import { ignoredSorts } from '../mirrors/fleet/sort-columns.ts'
import { devicePresenter, presentDevice, presentDeviceSummary } from '../presenters/device.ts'
import { removeDevices, removePermittedDevices, setDeviceAlias } from '../services/devices/devices.ts'
import { desktopSessions } from '../services/remote/desktop-sessions.ts'
import { implement } from './implement.ts'

const present = ({ app }: OpenCall, device: DeviceState) => presentDevice(device, app.agentRelease.version)

/** Search result with the number of hidden untagged devices, which only the older surface returns. */
export async function searchPresented(
  call: OpenRouteCall,
  found: DeviceList,
  request: DeviceSearchRequestDto,
  tests: readonly Test[] = [],
) {
  call.nameIgnored([...ignoredFilters(request), ...ignoredSorts(request)])
  const { items, ...counts } = await found.search(request, tests)
  return { items: await mapInSlices(items, (device) => present(call, device)), ...counts }
}

export const deviceRoutes = implement(devices, {
  list: (call, input) => input.devices.encoded(devicePresenter(call.app.agentRelease.version)),
  summary: (_, input) => input.devices.encoded(presentDeviceSummary),
  search: async (call, input) => {
    const { hiddenUntaggedDevices: _, ...answer } = await searchPresented(call, input.devices, input.body)
    return keepJson(answer)
  },
  get: (call, { device }) => present(call, device),
  desktopSessions: async (call, { device }) => ({ items: await desktopSessions(call, device) }),
  setAlias: async (call, { device, body }) => {
    if (body.deviceId !== undefined && body.deviceId !== device.id) {
      throw badRequest('Device ID mismatch.')
    }
    return present(call, await setDeviceAlias(call, device, body.alias))
  },
  delete: (call, { device }) => removeDevices(call, [device.id]),
  deleteMany: (call, input) => removePermittedDevices(call, input.devices, input.body.deviceIds),
})
