/** How far the audit log had grown at which time of the retention. */
export const auditMarks = {
  name: '0079-audit-marks',
  up: [
    `CREATE TABLE audit_marks (
      lastId INTEGER NOT NULL PRIMARY KEY,
      at INTEGER NOT NULL,
      seal TEXT NOT NULL
    ) STRICT`,
  ],
}
