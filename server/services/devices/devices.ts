import type { App, Principal } from '../../context.ts'
import { notFound } from '../../errors.ts'
import type { DeviceState } from '../../models/device.ts'
import { deviceScope } from '../../policies/device.ts'
import { systemActor, type Actor } from '../rights/authorization-log.ts'
import { removeAssignmentsOn } from '../rights/assignment-cleanup.ts'

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

/** After a commit that changed what devices belong to: memory follows, and with it what their followers see. */
export async function refreshDevices(app: App, ids: readonly string[]): Promise<void> {
  await app.fleet.refresh(ids)
  for (const id of ids) {
    const device = app.fleet.get(id)
    if (device) {
      app.heartbeats.push(device)
    }
  }
}

/** Deletes devices for good, with the rights that were granted on them; connected agents are cut off. */
export async function removeDevices(app: App, ids: readonly string[], actor: Actor = systemActor): Promise<void> {
  const { LogonToken, Device } = app.models
  const { principals, tokens } = await app.database.write(async (transaction) => {
    const rows = await LogonToken.findAll({ where: { deviceId: [...ids] }, transaction })
    const affected = await removeAssignmentsOn(app, transaction, ids, actor)
    await Device.destroy({ where: { id: [...ids] }, transaction })
    return { principals: affected, tokens: Map.groupBy(rows, ({ userId }) => userId) }
  })
  for (const id of ids) {
    const connectionId = app.fleet.get(id)?.connectionId
    app.fleet.remove(id)
    if (connectionId) {
      app.hubs.agent.disconnect(connectionId)
    }
  }
  await app.rules.refresh(principals)
  // A logon token opens one device, and ends with it.
  for (const [userId, rows] of tokens) {
    await app.sessions.end(userId, ({ logonTokenId }) => rows.some(({ id }) => id === logonTokenId))
  }
}

/** Deletes those devices that the caller may delete; unknown and refused ones are failures. */
export async function removePermittedDevices(
  app: App,
  principal: Principal,
  ids: readonly string[],
  actor: Actor,
): Promise<{ successIds: string[]; failureIds: string[] }> {
  const mayRead = deviceScope(app, principal, 'device.read')
  const mayDelete = deviceScope(app, principal, 'device.delete')
  const { successIds = [], failureIds = [] } = Object.groupBy(new Set(ids), (id) => {
    const device = app.fleet.get(id)
    return device && mayRead(device) && mayDelete(device) ? 'successIds' : 'failureIds'
  })
  if (successIds.length > 0) {
    await removeDevices(app, successIds, actor)
  }
  return { successIds, failureIds }
}
