import type { AlertWatchDto } from '../../shared/dtos/alert.ts'
import type { Call } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { deviceRight } from '../fleet/rights.ts'
import { conflict, limitReached } from '../ground/errors.ts'
import { instant } from '../ground/instant.ts'
import { requirePerson } from './rights.ts'

const maxWatches = 100

/** Devices that the caller watches and may read, the oldest first. */
export function listWatches(call: Call): AlertWatchDto[] {
  const { app, principal } = call
  const mayRead = deviceRight(app, principal, 'device.read')
  return app.alertWatches
    .ofUser(requirePerson(call))
    .toSorted((a, b) => a.createdAt - b.createdAt)
    .flatMap(({ deviceId, createdAt }) => {
      const device = app.fleet.get(deviceId)
      return device && mayRead(device)
        ? [{ deviceId, name: device.alias || device.name, createdAt: instant(createdAt) }]
        : []
    })
}

/** Tells the caller once when an offline device is back. */
export async function watchDevice(call: Call, device: DeviceState): Promise<void> {
  const userId = requirePerson(call)
  const { app } = call
  if (device.connectionId !== '') {
    throw conflict('The device is online.')
  }
  await app.database.write(async (transaction) => {
    const where = { userId, deviceId: device.id }
    if ((await app.models.AlertWatch.count({ where: { userId }, transaction })) >= maxWatches) {
      throw limitReached(`You watch ${maxWatches} devices. End one first.`)
    }
    await app.models.AlertWatch.findOrCreate({
      where,
      defaults: { ...where, createdAt: app.clock.now() },
      transaction,
    })
  })
}

export async function unwatchDevice(call: Call, device: DeviceState): Promise<void> {
  const where = { userId: requirePerson(call), deviceId: device.id }
  await call.app.database.write((transaction) => call.app.models.AlertWatch.destroy({ where, transaction }))
}
