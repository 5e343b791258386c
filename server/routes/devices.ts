import { devices, type DeviceSearchRequestDto } from '../../shared/api/devices.ts'
import type { Context } from '../context.ts'
import { badRequest } from '../errors.ts'
import { keepJson } from '../json.ts'
import { devicesInScope } from '../policies/device.ts'
import { presentDeviceSummary } from '../presenters/device.ts'
import { actorOf } from '../services/rights/authorization-log.ts'
import { desktopSessions } from '../services/remote/desktop-sessions.ts'
import { searchDevices } from '../services/devices/search.ts'
import { removeDevices, removePermittedDevices, setDeviceAlias } from '../services/devices/devices.ts'
import { callerOf, implement } from './implement.ts'

const readable = (context: Context) => devicesInScope(context.app, callerOf(context), 'device.read')

/** With the number of hidden untagged devices, which only the older surface tells. */
export function searchReadable(context: Context, request: DeviceSearchRequestDto) {
  const { items, ...counts } = searchDevices(readable(context), request, context.app.fleet.stateVersion)
  return { items: items.map(context.app.presentDevice), ...counts }
}

export const deviceRoutes = implement(devices, {
  list: (context) => readable(context).map(({ device }) => context.app.presentDevice(device)),
  summary: (context) => readable(context).map(({ device }) => presentDeviceSummary(device)),
  search: (context, { body }) => {
    const { hiddenUntaggedDevices: _, ...answer } = searchReadable(context, body)
    return keepJson(answer)
  },
  get: ({ app }, { params }) => app.presentDevice(app.fleet.get(params.deviceId)!),
  desktopSessions: async (context, { params }) => ({
    items: await desktopSessions(context.app, callerOf(context), params.deviceId),
  }),
  setAlias: async ({ app }, { params, body }) => {
    if (body.deviceId !== undefined && body.deviceId !== params.deviceId) {
      throw badRequest('Device ID mismatch.')
    }
    return app.presentDevice(await setDeviceAlias(app, params.deviceId, body.alias))
  },
  delete: (context, { params }) => removeDevices(context.app, [params.deviceId], actorOf(context)),
  deleteMany: (context, { body }) =>
    removePermittedDevices(context.app, callerOf(context), body.deviceIds, actorOf(context)),
})
