import { integer, key, text } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineInvite = defineTable('invites', {
  id: key(),
  tenantId: text(),
  userId: text(),
  inviteeEmail: text(),
  activationCodeHash: text(),
  createdAt: integer(),
})
export type InviteRow = RowOf<typeof defineInvite>
