import type { Call } from '../call/call.ts'
import type { BatchOptions } from '../engines/database/database.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { deviceRight } from '../fleet/rights.ts'
import { found, notFound } from '../ground/errors.ts'
import { removeAssignmentsOn } from '../assignments/assignment-cleanup.ts'

interface Alias {
  id: string
  alias: string | null
}

// Scripts name whole fleets with a request per device, so these writes share transactions.
const aliases: BatchOptions<Alias> = {
  sql: `UPDATE devices SET alias = item.value ->> 'alias' FROM jsonb_each(?) AS item
    WHERE devices.id = item.value ->> 'id' RETURNING devices.id AS key`,
  key: ({ id }) => id,
}

/** Sets an alias, or clears it with null or blanks; pushes the device to its subscribers. */
export async function setDeviceAlias(
  { app, actor }: Call,
  device: DeviceState,
  wanted: string | null,
): Promise<DeviceState> {
  const { id } = device
  const alias = wanted?.trim() || null
  const details = { before: device.alias ?? '', after: alias ?? '' }
  // Names the device as others know it: not by the alias that was just taken or given.
  const event = { kind: 'device.alias-changed', device: { ...device, alias: null }, details } as const
  await app.database
    .batch(aliases)
    .run(
      { id, alias },
      alias === device.alias ? undefined : (transaction) => app.audit.recordIn(transaction, actor, [event]),
    )
  return found(app.fleet.get(id), 'device')
}

/**
 * Deletes devices with the rights on them. Closes the connections of their agents and the sessions of their logon
 * tokens. Returns the ids that were deleted, without those that another request deleted meanwhile. `isPermitted` is asked
 * in the write: a right may end while the write waits (T09).
 */
export async function removeDevices(
  call: Pick<Call, 'app' | 'actor'>,
  ids: readonly string[],
  isPermitted: (id: string) => boolean = () => true,
): Promise<ReadonlySet<string>> {
  const { database, models, fleet, audit } = call.app
  return await database.write(async (transaction) => {
    // The rows say what another request left.
    const rows = await models.Device.findAll({
      attributes: ['id'],
      where: { id: ids.filter(isPermitted) },
      transaction,
    })
    const stored = rows.map(({ id }) => id)
    await removeAssignmentsOn(call, transaction, stored)
    await models.Device.destroy({ where: { id: stored }, transaction })
    const devices = stored.map((id) => fleet.get(id)).filter((device) => device !== undefined)
    await audit.recordIn(
      transaction,
      call.actor,
      devices.map((device) => ({ kind: 'device.deleted', device })),
    )
    return new Set(stored)
  })
}

/** Deletes a device. Throws 404 if another request deleted it meanwhile. */
export async function removeDevice(call: Call, id: string): Promise<void> {
  if (!(await removeDevices(call, [id])).has(id)) {
    throw notFound('device')
  }
}

/** Rights to delete a device from a list, which shows readable ones. */
const deletion = ['device.read', 'device.delete'] as const

/** Deletes the devices that the principal may delete; unknown and forbidden ids are reported as failures. */
export async function removePermittedDevices(
  call: Call,
  ids: readonly string[],
): Promise<{ successIds: string[]; failureIds: string[] }> {
  const { app, principal } = call
  const wanted = new Set(ids)
  const removed = await removeDevices(call, [...wanted], (id) => {
    const device = app.fleet.get(id)
    return device !== undefined && deletion.every((permission) => deviceRight(app, principal, permission)(device))
  })
  const { successIds = [], failureIds = [] } = Object.groupBy(wanted, (id) =>
    removed.has(id) ? 'successIds' : 'failureIds',
  )
  return { successIds, failureIds }
}
