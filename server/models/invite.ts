import { defineTable, integer, key, type RowOf, text, textOrNull } from './table.ts'

export const defineInvite = defineTable('invites', {
  id: key(),
  tenantId: text(),
  userId: text(),
  inviteeEmail: text(),
  activationCodeHash: text(),
  createdAt: integer(),
  /** Assignments and groups of the pending user that stay at acceptance; null for none. */
  startJson: textOrNull(),
})
export type InviteRow = RowOf<typeof defineInvite>
