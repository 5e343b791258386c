/** Organizations that have rules get the one that tells of rules and webhooks which stopped with their maker. */
export const stoppedRules = {
  name: '0060-stopped-rules',
  up: [
    `INSERT INTO alert_rules (id, tenantId, name, condition, scopeKind, receivers, userIds, isEnabled, createdAt, startedAt)
      SELECT lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-a' ||
          substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))),
        tenantId, 'Stopped rules and webhooks', '{"kind":"maker-gone"}', 'everything', 'on-call', '[]', 1,
        unixepoch() * 1000, unixepoch() * 1000
      FROM alert_settings`,
  ],
}
