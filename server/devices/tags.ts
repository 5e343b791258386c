import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import type { DevicePermission } from '../../shared/access.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import { notFound } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { TagRow } from './tables.ts'
import { deviceRight } from '../fleet/rights.ts'
import { recordLostPolicies } from '../organization/scoped-policies.ts'
import { createNamed, findOfTenant, rejectTakenName } from '../organization/tenant-rows.ts'

/**
 * Tests whether the caller sees a tag of the tenant. Tags name customers and projects, so a guest of a link sees those of its
 * device, and the others only where the link permits to add them.
 */
export function visibleTag({ app, principal }: Call): (tagId: string) => boolean {
  const { credential } = principal
  if (credential.kind !== 'LogonToken') {
    return () => true
  }
  const device = app.fleet.get(credential.deviceId)
  const may = (permission: DevicePermission) => device !== undefined && deviceRight(app, principal, permission)(device)
  const mayTag = may('device.tags.write')
  const tagIds = may('device.read') ? device?.tagIds : undefined
  return (tagId) => mayTag || tagIds?.includes(tagId) === true
}

/** Tags of a tenant that the caller sees, by name. */
export function listTags(call: Call, tenantId: string): readonly TagRow[] {
  const isVisible = visibleTag(call)
  return call.app.tags.ofTenant(tenantId).filter(({ id }) => isVisible(id))
}

export function getTag(call: Call, tenantId: string, id: string): TagRow {
  const tag = call.app.tags.get(id)
  if (tag?.tenantId !== tenantId || !visibleTag(call)(id)) {
    throw notFound('tag')
  }
  return tag
}

/** Ids of the devices of each tag that the principal may read, oldest first. */
export function devicesByTag({ app, principal }: Call, tenantId: string): ReadonlyMap<string, string[]> {
  const mayRead = deviceRight(app, principal, 'device.read')
  const isListed = (device: DeviceState) => device.tenantId === tenantId && mayRead(device)
  const linked = new Map<string, string[]>()
  for (const device of app.fleet.all) {
    if (device.tagIds.length > 0 && isListed(device)) {
      for (const tagId of device.tagIds) {
        const deviceIds = linked.get(tagId)
        if (deviceIds) {
          deviceIds.push(device.id)
        } else {
          linked.set(tagId, [device.id])
        }
      }
    }
  }
  return linked
}

const eventOf = (
  action: 'created' | 'renamed' | 'deleted',
  { id, name, tenantId }: Pick<TagRow, 'id' | 'name' | 'tenantId'>,
) => ({ kind: `settings.tag-${action}`, tenantId, target: { kind: 'tag', id, name } }) as const

export async function createTag(
  { app, actor }: OpenCall,
  tenantId: string,
  name: string,
  type: TagRow['type'],
): Promise<TagRow> {
  const row: TagRow = { id: randomUUID(), tenantId, name, type, createdAt: app.clock.now() }
  await createNamed(app, app.models.Tag, 'tag', row, async (transaction) => {
    await app.models.Tag.create(row, { transaction })
    await app.audit.recordIn(transaction, actor, [eventOf('created', row)])
  })
  return row
}

export function renameTag({ app, actor }: OpenCall, tenantId: string, id: string, name: string): Promise<TagRow> {
  return app.database.writeShared(async (transaction) => {
    const tag = await findOfTenant(app.models.Tag, 'tag', tenantId, id, transaction)
    await rejectTakenName(app.models.Tag, 'tag', { id, tenantId, name }, transaction)
    await tag.update({ name }, { transaction })
    await app.audit.recordIn(transaction, actor, [eventOf('renamed', { id, tenantId, name })])
    return tag.get({ plain: true })
  })
}

export async function deleteTag(call: OpenCall, tenantId: string, id: string): Promise<void> {
  const { app, actor } = call
  await app.database.writeShared(async (transaction) => {
    const tag = await findOfTenant(app.models.Tag, 'tag', tenantId, id, transaction)
    await recordLostPolicies(call, transaction, 'tagId', id)
    await tag.destroy({ transaction })
    await app.audit.recordIn(transaction, actor, [eventOf('deleted', tag)])
  })
}

/** Replaces the tags of a device; ids that are no tags of its tenant are skipped. */
export async function replaceDeviceTags(
  { models }: App,
  transaction: Transaction,
  { id: deviceId, tenantId }: { id: string; tenantId: string },
  tagIds: readonly string[],
): Promise<void> {
  const tags = await models.Tag.findAll({ where: { id: [...tagIds], tenantId }, transaction })
  await models.DeviceTag.destroy({ where: { deviceId }, transaction })
  await models.DeviceTag.bulkCreate(
    tags.map(({ id: tagId }) => ({ deviceId, tagId })),
    { transaction },
  )
}
