/** Each tenant has its own rollout of the agent: those of the server become one for each tenant, with its devices. */
export const rolloutsOfTenants = {
  name: '0040-rollouts-of-tenants',
  up: [
    `CREATE TABLE agent_rollouts_next (
      id INTEGER PRIMARY KEY NOT NULL,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      version TEXT NOT NULL,
      ring INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('running', 'stopped', 'done')),
      settledAt INTEGER,
      reason TEXT
    ) STRICT`,
    `INSERT INTO agent_rollouts_next (id, tenantId, version, ring, state, settledAt, reason)
      SELECT r.id + t.place, t.id, r.version, r.ring, r.state, r.settledAt, r.reason FROM agent_rollouts AS r
      CROSS JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM tenants) AS t`,
    `UPDATE agent_rollout_devices SET rolloutId = (
      SELECT min(r.id) FROM agent_rollouts_next AS r JOIN devices AS d ON d.tenantId = r.tenantId
      WHERE d.id = agent_rollout_devices.deviceId AND r.id > agent_rollout_devices.rolloutId)`,
    `DROP TABLE agent_rollouts`,
    `ALTER TABLE agent_rollouts_next RENAME TO agent_rollouts`,
  ],
}
