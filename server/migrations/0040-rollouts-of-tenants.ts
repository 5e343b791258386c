/** Each tenant has its own rollout of the agent: those of the server become one for each tenant, with its devices. */
export const rolloutsOfTenants = {
  name: '0040-rollouts-of-tenants',
  up: [
    `ALTER TABLE agent_rollouts ADD COLUMN tenantId TEXT REFERENCES tenants (id) ON DELETE CASCADE`,
    `INSERT INTO agent_rollouts (id, tenantId, version, ring, state, settledAt, reason)
      SELECT r.id + t.place, t.id, r.version, r.ring, r.state, r.settledAt, r.reason FROM agent_rollouts AS r
      CROSS JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM tenants) AS t`,
    `UPDATE agent_rollout_devices SET rolloutId = (
      SELECT min(r.id) FROM agent_rollouts AS r JOIN devices AS d ON d.tenantId = r.tenantId
      WHERE d.id = agent_rollout_devices.deviceId AND r.id > agent_rollout_devices.rolloutId)`,
    `DELETE FROM agent_rollouts WHERE tenantId IS NULL`,
  ],
}
