import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import type { App, Call, OpenCall } from '../../call.ts'
import type { BatchOptions } from '../../database.ts'
import { conflict, notFound } from '../../errors.ts'
import type { DeviceState } from '../../mirrors/fleet/device-state.ts'
import type { TagRow } from '../../models/tag.ts'
import { deviceRight } from '../../policies/device.ts'

/** Tags of a tenant, by name. */
export const listTags = ({ app }: OpenCall, tenantId: string): readonly TagRow[] => app.tags.ofTenant(tenantId)

export function getTag({ app }: OpenCall, tenantId: string, id: string): TagRow {
  const tag = app.tags.get(id)
  if (tag?.tenantId !== tenantId) {
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

const key = ({ id }: Pick<TagRow, 'id'>) => id

// Scripts make tags with a request each, so these writes share transactions. A taken name stores nothing.
const creations: BatchOptions<TagRow> = {
  sql: `INSERT INTO tags (id, tenantId, name, type, createdAt)
    SELECT item.value ->> 'id', t.id, item.value ->> 'name', item.value ->> 'type', item.value ->> 'createdAt'
    FROM jsonb_each(?) AS item CROSS JOIN tenants AS t ON t.id = item.value ->> 'tenantId'
    WHERE true ON CONFLICT DO NOTHING RETURNING id AS key`,
  key,
}
const renames: BatchOptions<Pick<TagRow, 'id' | 'name'>> = {
  sql: `UPDATE OR IGNORE tags SET name = item.value ->> 'name' FROM jsonb_each(?) AS item
    WHERE tags.id = item.value ->> 'id' RETURNING tags.id AS key`,
  key,
}
const deletions: BatchOptions<Pick<TagRow, 'id'>> = {
  sql: `DELETE FROM tags WHERE id IN (SELECT value ->> 'id' FROM jsonb_each(?)) RETURNING id AS key`,
  key,
}

const nameTaken = () => conflict('A tag with this name already exists.')

export async function createTag(
  { app }: OpenCall,
  tenantId: string,
  name: string,
  type: TagRow['type'],
): Promise<TagRow> {
  const row: TagRow = { id: randomUUID(), tenantId, name, type, createdAt: app.clock.now() }
  const { changes } = await app.database.batch(creations).run(row)
  if (changes === 0) {
    throw app.tenants.has(tenantId) ? nameTaken() : notFound('tenant')
  }
  return row
}

export async function renameTag(call: OpenCall, tenantId: string, id: string, name: string): Promise<TagRow> {
  const tag = getTag(call, tenantId, id)
  const { changes } = await call.app.database.batch(renames).run({ id, name })
  if (changes === 0) {
    throw call.app.tags.get(id) ? nameTaken() : notFound('tag')
  }
  return { ...tag, name }
}

export async function deleteTag(call: OpenCall, tenantId: string, id: string): Promise<void> {
  getTag(call, tenantId, id)
  const { changes } = await call.app.database.batch(deletions).run({ id })
  if (changes === 0) {
    throw notFound('tag')
  }
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
