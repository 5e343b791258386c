import { defineTable, integer, key, text } from './table.ts'

/** An invitation of the last 24 hours, also of one that was withdrawn or accepted. */
export const defineInviteTime = defineTable('invite_times', {
  /** Id of the invitation. */
  id: key(),
  tenantId: text(),
  createdAt: integer(),
})
