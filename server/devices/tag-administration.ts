import { plural } from '../../shared/plural.ts'
import type { TagColor, TagOverviewDto } from '../../shared/api/appliance-organization.ts'
import type { Call } from '../call/call.ts'
import { badRequest, forbidden } from '../ground/errors.ts'
import { deviceRight } from '../fleet/rights.ts'
import { replaceInPlacements } from '../organization/key-placements.ts'
import { movePolicies } from '../organization/scoped-policies.ts'
import { findOfTenant } from '../organization/tenant-rows.ts'
import { devicesByTag, visibleTag } from './tags.ts'

/** Tags that the caller sees, with their colors and the number of readable devices, by name. */
export async function listTagOverview(call: Call, tenantId: string): Promise<TagOverviewDto[]> {
  const rows = await call.app.database.all<{ id: string; name: string; color: TagColor | null }>(
    `SELECT t.id, t.name, c.color FROM tags AS t LEFT JOIN tag_colors AS c ON c.tagId = t.id
     WHERE t.tenantId = ? ORDER BY t.name`,
    [tenantId],
  )
  const linked = devicesByTag(call, tenantId)
  const isVisible = visibleTag(call)
  return rows.filter(({ id }) => isVisible(id)).map((row) => ({ ...row, deviceCount: linked.get(row.id)?.length ?? 0 }))
}

export async function setTagColor(
  { app, actor }: Call,
  tenantId: string,
  tagId: string,
  color: TagColor | null,
): Promise<void> {
  const { Tag, TagColor: TagColorModel } = app.models
  await app.database.write(async (transaction) => {
    const { id, name } = await findOfTenant(Tag, 'tag', tenantId, tagId, transaction)
    await TagColorModel.destroy({ where: { tagId }, transaction })
    if (color !== null) {
      await TagColorModel.create({ tagId, color }, { transaction })
    }
    await app.audit.recordIn(transaction, actor, [
      { kind: 'settings.tag-colored', tenantId, target: { kind: 'tag', id, name } },
    ])
  })
}

/** Moves the devices of a tag to another tag and deletes the first; all of them or none. */
export async function mergeTag(call: Call, tenantId: string, tagId: string, intoTagId: string): Promise<number> {
  const { app, principal, actor } = call
  const { Tag, DeviceTag } = app.models
  if (tagId === intoTagId) {
    throw badRequest('A tag cannot be merged into itself.')
  }
  return app.database.write(async (transaction) => {
    const from = await findOfTenant(Tag, 'tag', tenantId, tagId, transaction)
    const into = await findOfTenant(Tag, 'tag', tenantId, intoTagId, transaction)
    const idsWith = async (id: string) =>
      (await DeviceTag.findAll({ where: { tagId: id }, raw: true, transaction })).map(({ deviceId }) => deviceId)
    const known = new Set(await idsWith(intoTagId))
    const moved = (await idsWith(tagId)).filter((id) => !known.has(id))
    const mayTag = deviceRight(app, principal, 'device.tags.write')
    const closed = moved.filter((id) => {
      const device = app.fleet.get(id)
      return !device || !mayTag(device)
    })
    if (closed.length > 0) {
      throw forbidden(
        `You do not have the permission device.tags.write on ${plural(closed.length, 'device', 'devices')} with this tag.`,
      )
    }
    await DeviceTag.bulkCreate(
      moved.map((deviceId) => ({ deviceId, tagId: intoTagId })),
      { transaction },
    )
    await replaceInPlacements(app, transaction, 'tagIds', tagId, intoTagId)
    await movePolicies(app, transaction, 'tagId', tagId, intoTagId)
    const details = { into: into.name, devices: moved.length }
    const target = { kind: 'tag', id: tagId, name: from.name } as const
    await from.destroy({ transaction })
    await app.audit.recordIn(transaction, actor, [{ kind: 'settings.tag-merged', tenantId, target, details }])
    return moved.length
  })
}
