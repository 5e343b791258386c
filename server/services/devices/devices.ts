import type { Call } from '../../call.ts'
import type { DeviceList } from '../../mirrors/fleet/device-list.ts'
import type { DeviceState } from '../../mirrors/fleet/device-state.ts'
import { notFound } from '../../errors.ts'
import { removeAssignmentsOn } from '../rights/assignment-cleanup.ts'

/** Sets an alias, or clears it with null or blanks; subscribers of the device get it at once. */
export async function setDeviceAlias({ app }: Call, { id }: DeviceState, alias: string | null): Promise<DeviceState> {
  const value = alias?.trim() || null
  await app.database.write((transaction) => app.models.Device.update({ alias: value }, { where: { id }, transaction }))
  const device = app.fleet.get(id)
  if (!device) {
    throw notFound('device')
  }
  return device
}

/**
 * Deletes devices for good, with the rights that were granted on them. Connected agents are disconnected, and so are
 * sessions of logon tokens for the device: they end with it.
 */
export async function removeDevices(call: Pick<Call, 'app' | 'actor'>, ids: readonly string[]): Promise<void> {
  const { database, models } = call.app
  await database.write(async (transaction) => {
    await removeAssignmentsOn(call, transaction, ids)
    await models.Device.destroy({ where: { id: [...ids] }, transaction })
  })
}

/** Deletes those that are among the devices which the principal may delete; unknown and refused ones are failures. */
export async function removePermittedDevices(
  call: Call,
  permitted: DeviceList,
  ids: readonly string[],
): Promise<{ successIds: string[]; failureIds: string[] }> {
  const { successIds = [], failureIds = [] } = Object.groupBy(new Set(ids), (id) =>
    permitted.get(id) ? 'successIds' : 'failureIds',
  )
  if (successIds.length > 0) {
    await removeDevices(call, successIds)
  }
  return { successIds, failureIds }
}
