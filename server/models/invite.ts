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
  /** Account that made the invite, which works only while this account may make it; null for an invite from before. */
  makerKind: textOrNull<'User' | 'ServiceAccount'>(),
  makerId: textOrNull(),
  /** Restricted token that the account used, whose rights limit the invite; null without one. */
  madeWith: textOrNull(),
})
export type InviteRow = RowOf<typeof defineInvite>
