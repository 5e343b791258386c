/** Events of what changed in a tenant, by their time, for its start page. */
export const changesByTenant = {
  name: '0087-changes-by-tenant',
  up: [
    `CREATE INDEX program_events_of_tenant_changes ON program_events (tenantId, at)
      WHERE kind IN ('device.registered', 'device.deleted', 'person.added', 'person.removed', 'rights.changed', 'update.installed', 'update.failed', 'alert.opened')`,
  ],
}
