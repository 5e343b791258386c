import type { App } from '../context.ts'
import { notFound } from '../errors.ts'
import type { DeviceState } from '../models/device.ts'

/** Sets an alias, or clears it with null or blanks; those who follow the device see it at once. */
export async function setDeviceAlias(app: App, id: string, alias: string | null): Promise<DeviceState> {
  const value = alias?.trim() || null
  await app.database.write((transaction) => app.models.Device.update({ alias: value }, { where: { id }, transaction }))
  const device = app.fleet.change(id, { alias: value })
  if (!device) {
    throw notFound('device')
  }
  app.heartbeats.push(device)
  return device
}

/** Deletes a device for good; a connected agent is cut off. */
export async function removeDevice(app: App, id: string): Promise<void> {
  await app.database.write((transaction) => app.models.Device.destroy({ where: { id }, transaction }))
  const device = app.fleet.get(id)
  app.fleet.remove(id)
  if (device && device.connectionId !== '') {
    app.hubs.agent.disconnect(device.connectionId)
  }
}
