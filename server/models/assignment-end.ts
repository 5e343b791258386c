import { defineTable, integer, key, text } from './table.ts'

export const defineAssignmentEnd = defineTable('assignment_ends', {
  assignmentId: key(),
  /** Principal of the assignment, by which the mirror of rules finds what a commit has touched. */
  principalId: text(),
  /** The assignment counts before this instant only. */
  endsAt: integer(),
})
