import { tags } from '../../shared/api/tags.ts'
import { presentTag } from '../presenters/tag.ts'
import { createTag, deleteTag, devicesByTag, getTag, listTags, renameTag } from '../services/devices/tags.ts'
import type { TagRow } from '../models/tag.ts'
import type { Call } from '../call.ts'
import { implement } from './implement.ts'

const presentLinked = (call: Call, tenantId: string, rows: readonly TagRow[]) => {
  const linked = devicesByTag(call, tenantId)
  return rows.map((tag) => presentTag(tag, linked.get(tag.id)))
}

export const tagRoutes = implement(tags, {
  list: async (call, { tenantId, query }) => {
    const rows = await listTags(call, tenantId)
    return {
      items: query.includeLinkedIds ? presentLinked(call, tenantId, rows) : rows.map((tag) => presentTag(tag)),
    }
  },
  get: async (call, { tenantId, params }) =>
    presentLinked(call, tenantId, [await getTag(call, tenantId, params.tagId)])[0]!,
  create: async (call, { tenantId, body }) => presentTag(await createTag(call, tenantId, body.name, body.type)),
  rename: async (call, { tenantId, params, body }) =>
    presentLinked(call, tenantId, [await renameTag(call, tenantId, params.tagId, body.name)])[0]!,
  delete: (call, { tenantId, params }) => deleteTag(call, tenantId, params.tagId),
})
