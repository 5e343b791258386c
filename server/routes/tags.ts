import { tags } from '../../shared/api/tags.ts'
import { presentTag } from '../presenters/tag.ts'
import { createTag, deleteTag, devicesByTag, getTag, listTags, renameTag } from '../services/devices/tags.ts'
import type { TagRow } from '../models/tag.ts'
import type { Context } from '../context.ts'
import { callerOf, implement } from './implement.ts'

const presentLinked = (context: Context, tenantId: string, rows: readonly TagRow[]) => {
  const linked = devicesByTag(context.app, callerOf(context), tenantId)
  return rows.map((tag) => presentTag(tag, linked.get(tag.id)))
}

export const tagRoutes = implement(tags, {
  list: async (context, { tenantId, query }) => {
    const rows = await listTags(context.app, tenantId)
    return {
      items: query.includeLinkedIds ? presentLinked(context, tenantId, rows) : rows.map((tag) => presentTag(tag)),
    }
  },
  get: async (context, { tenantId, params }) =>
    presentLinked(context, tenantId, [await getTag(context.app, tenantId, params.tagId)])[0]!,
  create: async ({ app }, { tenantId, body }) => presentTag(await createTag(app, tenantId, body.name, body.type)),
  rename: async (context, { tenantId, params, body }) =>
    presentLinked(context, tenantId, [await renameTag(context.app, tenantId, params.tagId, body.name)])[0]!,
  delete: ({ app }, { tenantId, params }) => deleteTag(app, tenantId, params.tagId),
})
