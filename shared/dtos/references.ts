import { id } from '../contract/fields.ts'

/** Ids that reference another resource, each with the route that lists the valid values. */
export const deviceId = id.describe('The device, by the `id` of `GET /api/v1/devices`.')
export const tagId = id.describe('The tag, by the `id` of `GET /api/v1/tags`.')
export const userId = id.describe('The user, by the `id` of `GET /api/v1/users`.')
export const tenantId = id.describe(
  'The tenant. Server service accounts may name any, by the `tenantId` of `GET /api/v1/tenants`; others only their own.',
)
