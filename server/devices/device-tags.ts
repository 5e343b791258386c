import { rowLimits } from '../../shared/row-limits.ts'
import type { App, Call } from '../call/call.ts'
import { rowLimitReached } from '../call/check-row-limit.ts'
import type { BatchOptions } from '../engines/database/database.ts'
import { notFound } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'

interface DeviceTag {
  deviceId: string
  tagId: string
}

/**
 * Checks device and tag again inside the write: either may be deleted meanwhile, the tag may belong to another tenant,
 * and other requests may have added tags.
 */
const addSql = `INSERT INTO device_tags (deviceId, tagId)
  SELECT d.id, t.id FROM jsonb_each(?) AS u
    JOIN devices AS d ON d.id = u.value ->> 'deviceId' AND d.tenantId = u.value ->> 'tenantId'
    JOIN tags AS t ON t.id = u.value ->> 'tagId' AND t.tenantId = d.tenantId
  WHERE t.id IN (SELECT tagId FROM device_tags WHERE deviceId = d.id)
    OR (SELECT count(*) FROM device_tags WHERE deviceId = d.id) < ${rowLimits['tags of a device']}
  ON CONFLICT (deviceId, tagId) DO UPDATE SET tagId = excluded.tagId RETURNING deviceId AS key`

const removeSql = `DELETE FROM device_tags
  WHERE (deviceId, tagId) IN (SELECT value ->> 'deviceId', value ->> 'tagId' FROM jsonb_each(?))
  RETURNING deviceId || ' ' || tagId AS key`

const keyOf = ({ deviceId, tagId }: DeviceTag) => `${deviceId} ${tagId}`

// Scripts tag whole fleets with a request per device, so these writes share transactions.
// A statement adds one tag to a device, because it does not count those that it adds.
const addTags: BatchOptions<DeviceTag & { tenantId: string }> = { sql: addSql, key: ({ deviceId }) => deviceId }
const removeTags: BatchOptions<DeviceTag> = { sql: removeSql, key: keyOf }

const tagTarget = ({ tags }: App, id: string) => ({ kind: 'tag', id, name: tags.get(id)?.name ?? null }) as const

/** Adds a tag of the tenant to a device; idempotent. Throws 404 for an unknown tag, and 409 for one too many. */
export async function addDeviceTag({ app, actor }: Call, device: DeviceState, tagId: string): Promise<void> {
  const { id: deviceId, tenantId, tagIds } = device
  const { changes } = await app.database.batch(addTags).run({ tenantId, deviceId, tagId })
  if (changes === 0) {
    const isTag = app.tags.get(tagId)?.tenantId === tenantId
    throw isTag && app.fleet.get(deviceId)
      ? rowLimitReached('tags of a device', 'Remove one first.')
      : notFound(isTag ? 'device' : 'tag')
  }
  if (!tagIds.includes(tagId)) {
    await app.audit.record(actor, { kind: 'device.tagged', device, target: tagTarget(app, tagId) })
  }
}

/** Removes a tag from a device; throws 404 when the device does not have the tag. */
export async function removeDeviceTag({ app, actor }: Call, device: DeviceState, tagId: string): Promise<void> {
  const { id: deviceId } = device
  const { changes } = await app.database.batch(removeTags).run({ deviceId, tagId })
  if (changes === 0) {
    throw notFound('tag')
  }
  await app.audit.record(actor, { kind: 'device.untagged', device, target: tagTarget(app, tagId) })
}
