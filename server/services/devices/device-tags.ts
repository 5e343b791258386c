import type { App } from '../../context.ts'
import type { Batch } from '../../database.ts'
import { notFound } from '../../errors.ts'
import { refreshDevices } from './devices.ts'

interface DeviceTag {
  deviceId: string
  tagId: string
}

/** Looks both up again inside the write: they may have been deleted meanwhile, or the tag may be of another tenant. */
const addSql = `INSERT INTO device_tags (deviceId, tagId)
  SELECT d.id, t.id FROM jsonb_each(?) AS u
    JOIN devices AS d ON d.id = u.value ->> 'deviceId' AND d.tenantId = u.value ->> 'tenantId'
    JOIN tags AS t ON t.id = u.value ->> 'tagId' AND t.tenantId = d.tenantId
  WHERE true ON CONFLICT DO UPDATE SET tagId = excluded.tagId RETURNING deviceId || ' ' || tagId AS key`

const removeSql = `DELETE FROM device_tags
  WHERE (deviceId, tagId) IN (SELECT value ->> 'deviceId', value ->> 'tagId' FROM jsonb_each(?))
  RETURNING deviceId || ' ' || tagId AS key`

const keyOf = ({ deviceId, tagId }: DeviceTag) => `${deviceId} ${tagId}`

/** Puts single tags on devices and takes them off. Scripts do that for a whole fleet, so that writes share transactions. */
export class DeviceTags {
  readonly #app: App
  readonly #add: Batch<DeviceTag & { tenantId: string }>
  readonly #remove: Batch<DeviceTag>

  constructor(app: App) {
    this.#app = app
    this.#add = app.database.batch({ sql: addSql, key: keyOf })
    this.#remove = app.database.batch({ sql: removeSql, key: keyOf })
  }

  /** Puts a tag of the tenant on a device; one that is on it already stays. Throws 404 for an unknown tag. */
  async add(tenantId: string, { deviceId, tagId }: DeviceTag): Promise<void> {
    const { changes } = await this.#add.run({ tenantId, deviceId, tagId })
    if (changes === 0) {
      throw notFound(this.#app.fleet.get(deviceId) ? 'tag' : 'device')
    }
    await refreshDevices(this.#app, [deviceId])
  }

  /** Takes a tag off a device; throws 404 when it is not on it. */
  async remove({ deviceId, tagId }: DeviceTag): Promise<void> {
    const { changes } = await this.#remove.run({ deviceId, tagId })
    if (changes === 0) {
      throw notFound('tag')
    }
    await refreshDevices(this.#app, [deviceId])
  }
}
