import { id } from '../contract/fields.ts'

/** Ids by which one thing names another, each with the route that lists what it may be. */
export const deviceId = id.describe('The device, by the `id` of `GET /api/v1/devices`.')
export const tagId = id.describe('The tag, by the `id` of `GET /api/v1/tags`.')
export const userId = id.describe('The user, by the `id` of `GET /api/v1/users`.')
export const tenantId = id.describe(
  'The tenant. Server service accounts may name any, by the `tenantId` of `GET /api/v1/tenants`; others only their own.',
)
