/** Ends of assignments of rights, beside the assignments: the interface fixes their columns. */
export const assignmentEnds = {
  name: '0020-assignment-ends',
  up: [
    `CREATE TABLE assignment_ends (
      assignmentId TEXT PRIMARY KEY NOT NULL REFERENCES permission_assignments (id) ON DELETE CASCADE,
      principalId TEXT NOT NULL,
      endsAt INTEGER NOT NULL
    ) STRICT`,
  ],
}
