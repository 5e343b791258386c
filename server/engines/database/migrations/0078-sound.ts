/** Allows the holders of `tenant.permissions.write` to hear devices; `newId` and `now` are expressions. */
const give = (newId: string, now: string) => `INSERT INTO permission_assignments
    (id, "owningTenantId", "principalKind", "principalId", "permissionName", effect, "scopeKind", "scopeId", notes,
      "isEnabled", "createdAt")
  SELECT ${newId}, "owningTenantId", "principalKind", "principalId", 'appliance.device.sound', effect, "scopeKind", "scopeId",
    NULL, "isEnabled", ${now}
  FROM permission_assignments
  WHERE "permissionName" = 'tenant.permissions.write' AND effect = 'Allow' AND "scopeKind" = 'Tenant'
    AND "principalKind" IN ('User', 'UserGroup') AND "madeWith" IS NULL
    AND id NOT IN (SELECT "assignmentId" FROM assignment_ends)`

/** People who give rights get the new one, which they could give themselves, unless they may do so for a time only. */
export const sound = {
  name: '0078-sound',
  up: [
    give(
      `lower(printf('%s-%s-4%s-8%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2),
        substr(hex(randomblob(2)), 2), hex(randomblob(6))))`,
      "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
    ),
  ],
  postgres: [give('CAST(gen_random_uuid() AS TEXT)', 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)')],
}
