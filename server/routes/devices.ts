import { devices } from '../../shared/api/devices.ts'
import type { DeviceSummaryResponseDto } from '../../shared/dtos/device.ts'
import type { Context } from '../context.ts'
import { badRequest } from '../errors.ts'
import { deviceScope } from '../policies/device.ts'
import { searchDevices } from '../services/device-search.ts'
import { removeDevice, setDeviceAlias } from '../services/devices.ts'
import type { DeviceState } from '../models/device.ts'
import { callerOf, implement } from './implement.ts'

function* readable(context: Context): Generator<DeviceState> {
  const mayRead = deviceScope(context.app, callerOf(context), 'device.read')
  for (const device of context.app.fleet.all()) {
    if (mayRead(device)) {
      yield device
    }
  }
}

const presentSummary = ({ id, lastSeen, agentVersion }: DeviceState): DeviceSummaryResponseDto => ({
  id,
  lastSeen: new Date(lastSeen).toISOString(),
  agentVersion,
})

export const deviceRoutes = implement(devices, {
  list: (context) => readable(context).map(context.app.presentDevice),
  summary: (context) => readable(context).map(presentSummary),
  search: (context, { body }) => {
    const { items, ...counts } = searchDevices([...readable(context)], body)
    return { items: items.map(context.app.presentDevice), ...counts }
  },
  get: ({ app }, { params }) => app.presentDevice(app.fleet.get(params.deviceId)!),
  setAlias: async ({ app }, { params, body }) => {
    if (body.deviceId !== undefined && body.deviceId !== params.deviceId) {
      throw badRequest('Device ID mismatch.')
    }
    return app.presentDevice(await setDeviceAlias(app, params.deviceId, body.alias))
  },
  delete: ({ app }, { params }) => removeDevice(app, params.deviceId),
})
