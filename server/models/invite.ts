import { defineTable, integer, key, type RowOf, text } from './table.ts'

export const defineInvite = defineTable('invites', {
  id: key(),
  tenantId: text(),
  userId: text(),
  inviteeEmail: text(),
  activationCodeHash: text(),
  createdAt: integer(),
})
export type InviteRow = RowOf<typeof defineInvite>
