import type { Transaction } from 'sequelize'
import type { PlacementDto } from '../../shared/api/appliance-deployments.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import type { Actor } from '../ground/actor.ts'
import { forbidden } from '../ground/errors.ts'
import type { InstallerKeyRow, InstallerKeyPlacementRow } from './tables.ts'
import { rightOf } from '../rights/rights.ts'
import type { Principal } from '../ground/principal.ts'
import { requireOfTenant } from '../organization/tenant-rows.ts'
import { recordChange } from '../rights/authorization-log.ts'
import { maySetTags } from './deployment-options.ts'

const placementOf = ({ customerId, deviceGroupIds, tagIds }: InstallerKeyPlacementRow): PlacementDto => ({
  customerId,
  deviceGroupIds: JSON.parse(deviceGroupIds) as string[],
  tagIds: JSON.parse(tagIds) as string[],
})

const mayFill = (app: App, principal: Principal, tenantId: string, groupId: string) =>
  rightOf(app, principal, 'device-group.assign-devices')({ kind: 'DeviceGroup', id: groupId, tenantId })

/** Throws 400 for things of other tenants, and 403 where the creator of the key may not give them to devices. */
export async function checkPlacement(call: Call, tenantId: string, placement: PlacementDto): Promise<void> {
  const { app, principal } = call
  const { customerId, deviceGroupIds, tagIds } = placement
  const { Customer, DeviceGroup, Tag } = app.models
  await app.database.write(async (transaction) => {
    const named = (field: keyof PlacementDto, ids: readonly string[]) => ({ field, ids, columns: [] })
    const customerIds = customerId === null ? [] : [customerId]
    await requireOfTenant(Customer, 'customer', tenantId, named('customerId', customerIds), transaction)
    await requireOfTenant(DeviceGroup, 'device group', tenantId, named('deviceGroupIds', deviceGroupIds), transaction)
    await requireOfTenant(Tag, 'tag', tenantId, named('tagIds', tagIds), transaction)
  })
  if (tagIds.length > 0 && !(await maySetTags(call, tenantId, { customerId }))) {
    throw forbidden('You do not have the permission device.tags.write on new devices.')
  }
  if (deviceGroupIds.some((id) => !mayFill(app, principal, tenantId, id))) {
    throw forbidden('You do not have the permission device-group.assign-devices on each of these groups.')
  }
  // A group may hold rights that the token does not; memberships would outlive the token.
  const { credential, madeWith } = principal
  const isRestricted = credential.kind === 'PersonalAccessToken' && credential.mode === 'Restricted'
  if (deviceGroupIds.length > 0 && (isRestricted || madeWith)) {
    throw forbidden('A restricted token cannot choose groups for new devices.')
  }
}

/** Stores where the devices of a key go. */
export async function placeKey({ app }: Call, keyId: string, placement: PlacementDto): Promise<void> {
  const { customerId, deviceGroupIds, tagIds } = placement
  const row: InstallerKeyPlacementRow = {
    keyId,
    customerId,
    deviceGroupIds: JSON.stringify(deviceGroupIds),
    tagIds: JSON.stringify(tagIds),
  }
  await app.database.write((transaction) => app.models.InstallerKeyPlacement.create(row, { transaction }))
}

/** Places of the keys of a tenant. */
export async function listPlacements({ app: { database } }: OpenCall, tenantId: string) {
  const rows = await database.all<InstallerKeyPlacementRow>(
    `SELECT p.* FROM installer_key_placements AS p JOIN installer_keys AS k ON k.id = p.keyId WHERE k.tenantId = ?`,
    [tenantId],
  )
  return rows.map((row) => ({ keyId: row.keyId, ...placementOf(row) }))
}

/** The place of new devices of a key, without a customer and groups that are gone. */
export async function placementFor(
  { models }: App,
  { tenantId }: InstallerKeyRow,
  row: InstallerKeyPlacementRow,
  transaction?: Transaction,
): Promise<PlacementDto> {
  const placement = placementOf(row)
  const where = { tenantId }
  const groups = await models.DeviceGroup.findAll({ where: { ...where, id: placement.deviceGroupIds }, transaction })
  const hasCustomer =
    placement.customerId !== null &&
    (await models.Customer.count({ where: { ...where, id: placement.customerId }, transaction })) > 0
  return {
    customerId: hasCustomer ? placement.customerId : null,
    deviceGroupIds: groups.map(({ id }) => id),
    tagIds: placement.tagIds,
  }
}

/** Throws 403 if the creator of a key has lost the permission to add devices to a group of its placement. */
export function checkMayFill(app: App, creator: Principal, tenantId: string, groupIds: readonly string[]): void {
  if (groupIds.some((id) => !mayFill(app, creator, tenantId, id))) {
    throw forbidden('The creator of this installer key may not put devices into its groups.')
  }
}

/** Adds a new device to the groups of its key. */
export async function joinGroups(
  { app, actor }: { app: App; actor: Actor },
  transaction: Transaction,
  { id: deviceId, tenantId }: { id: string; tenantId: string },
  groupIds: readonly string[],
): Promise<void> {
  await app.models.DeviceGroupMember.bulkCreate(
    groupIds.map((groupId) => ({ groupId, deviceId })),
    { transaction },
  )
  for (const targetId of groupIds) {
    await recordChange({ app, actor }, transaction, {
      actionType: 'device-group-members-added',
      targetType: 'DeviceGroup',
      targetId,
      tenantId,
      after: { deviceIds: [deviceId] },
    })
  }
}
