import { deviceTags } from '../../shared/api/device-tags.ts'
import { tags } from '../../shared/api/tags.ts'
import type { Call } from '../call/call.ts'
import { implement } from '../surface/implement.ts'
import { addDeviceTag, removeDeviceTag } from './device-tags.ts'
import { presentTag } from './present.ts'
import type { TagRow } from './tables.ts'
import { createTag, deleteTag, devicesByTag, getTag, listTags, renameTag } from './tags.ts'

export const deviceTagRoutes = implement(deviceTags, {
  add: (call, { device, body }) => addDeviceTag(call, device, body.tagId),
  remove: (call, { device, params }) => removeDeviceTag(call, device, params.tagId),
})

function linker(call: Call, tenantId: string) {
  const linked = devicesByTag(call, tenantId)
  return (tag: TagRow) => presentTag(tag, linked.get(tag.id))
}

export const tagRoutes = implement(tags, {
  list: async (call, { tenantId, query }) => {
    const rows = listTags(call, tenantId)
    return {
      items: rows.map(query.includeLinkedIds ? linker(call, tenantId) : (tag) => presentTag(tag)),
    }
  },
  get: async (call, { tenantId, params }) => linker(call, tenantId)(getTag(call, tenantId, params.tagId)),
  create: async (call, { tenantId, body }) => presentTag(await createTag(call, tenantId, body.name, body.type)),
  rename: async (call, { tenantId, params, body }) =>
    linker(call, tenantId)(await renameTag(call, tenantId, params.tagId, body.name)),
  delete: (call, { tenantId, params }) => deleteTag(call, tenantId, params.tagId),
})
