import type { InstallerKeyType } from '../../shared/dtos/installer-key.ts'
import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

export const AgentRelease = defineTable('agent_releases', {
  /** Time of its first signature in ms since 1970; later entries have greater times, regardless of the clock. */
  build: t.integerKey(),
  runtime: t.text(),
  version: t.text(),
  bundleSha256: t.text(),
  tarSha256: t.textOrNull(),
  installerSha256: t.text(),
}).with({ mirror: null })
/** A signed agent for a system. Of entries with the same files the newest counts. */
export type AgentReleaseRow = RowOf<typeof AgentRelease>

export const AgentRollout = defineTable('agent_rollouts', {
  /** Time of its start in ms since 1970, or the next free number. */
  id: t.integerKey(),
  tenantId: t.references('tenants'),
  version: t.text(),
  ring: t.integer(),
  state: t.check(t.text<'running' | 'stopped' | 'done'>(), "state IN ('running', 'stopped', 'done')"),
  /** When the last device of the ring was settled; null while one is not. */
  settledAt: t.integerOrNull(),
  /** Why it was stopped. */
  reason: t.textOrNull(),
}).with({ mirror: null })
/** A new version of the agent that the devices of a tenant get in rings: one, ten per cent, all. */
export type AgentRolloutRow = RowOf<typeof AgentRollout>

export const AgentRolloutDevice = defineTable('agent_rollout_devices', {
  rolloutId: t.references('agent_rollouts', t.integerKey()),
  deviceId: t.references('devices', t.key()),
  ring: t.integer(),
  askedAt: t.integer(),
  /** `skipped`: was shut down or slept meanwhile; no evidence about the version. */
  outcome: t.check(
    t.text<'asked' | 'updated' | 'failed' | 'skipped'>(),
    "outcome IN ('asked', 'updated', 'failed', 'skipped')",
  ),
  reason: t.textOrNull(),
}).with({ mirror: null })
/** A device that was asked to update in a rollout. */
export type AgentRolloutDeviceRow = RowOf<typeof AgentRolloutDevice>

export const InstallerKey = defineTable('installer_keys', {
  id: t.key(),
  tenantId: t.references('tenants'),
  creatorId: t.text(),
  creatorKind: t.text<'User' | 'ServiceAccount'>(),
  keyType: t.text<Exclude<InstallerKeyType, 'Unknown'>>(),
  secretHash: t.text(),
  friendlyName: t.textOrNull(),
  allowedUses: t.integerOrNull(),
  expiration: t.integerOrNull(),
  createdAt: t.integer(),
  /** True for a key that registers no known device again. */
  isForNewDevices: t.boolean(false),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: t.references('personal_access_tokens', t.textOrNull()),
}).with({
  mirror: null,
  indexes: { installer_keys_by_maker: '(madeWith) WHERE madeWith IS NOT NULL', installer_keys_by_tenant: '(tenantId)' },
})
export type InstallerKeyRow = RowOf<typeof InstallerKey>

export const InstallerKeyPlacement = defineTable('installer_key_placements', {
  keyId: t.references('installer_keys', t.key()),
  customerId: t.textOrNull(),
  /** JSON list of ids. */
  deviceGroupIds: t.text(),
  /** JSON list of ids. */
  tagIds: t.text(),
}).with({ mirror: null })
export type InstallerKeyPlacementRow = RowOf<typeof InstallerKeyPlacement>

export const InstallerKeyUsage = defineTable('installer_key_usages', {
  id: t.key(),
  keyId: t.references('installer_keys'),
  deviceId: t.text(),
  timestamp: t.integer(),
  remoteIpAddress: t.text(),
}).with({ mirror: null, indexes: { installer_key_usages_by_key: '(keyId, timestamp)' } })
/** A registration of a device with an installer key. */
export type InstallerKeyUsageRow = RowOf<typeof InstallerKeyUsage>

/** The key that signs the agents of this server, in one row. */
export const ReleaseKey = defineTable('release_key', {
  id: t.check(t.key<'server'>(), "id = 'server'"),
  /** Sealed. */
  key: t.text(),
  /** JSON: public keys up to this key, each signed by its predecessor. */
  named: t.text(),
}).with({ mirror: null })
