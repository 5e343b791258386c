import type { InstallerKeyType } from '../../shared/dtos/installer-key.ts'
import {
  check,
  defineTable,
  integer,
  integerKey,
  integerOrNull,
  key,
  references,
  type RowOf,
  text,
  textOrNull,
} from '../engines/database/table.ts'

export const AgentRelease = defineTable('agent_releases', {
  /** Time of its first signature in ms since 1970; later entries have greater times, regardless of the clock. */
  build: integerKey(),
  runtime: text(),
  version: text(),
  bundleSha256: text(),
  tarSha256: textOrNull(),
  installerSha256: text(),
}).with({ mirror: null })
/** A signed agent for a system. Of entries with the same files the newest counts. */
export type AgentReleaseRow = RowOf<typeof AgentRelease>

export const AgentRollout = defineTable('agent_rollouts', {
  /** Time of its start in ms since 1970, or the next free number. */
  id: integerKey(),
  tenantId: references('tenants'),
  version: text(),
  ring: integer(),
  state: check(text<'running' | 'stopped' | 'done'>(), "state IN ('running', 'stopped', 'done')"),
  /** When the last device of the ring was settled; null while one is not. */
  settledAt: integerOrNull(),
  /** Why it was stopped. */
  reason: textOrNull(),
}).with({ mirror: null })
/** A new version of the agent that the devices of a tenant get in rings: one, ten per cent, all. */
export type AgentRolloutRow = RowOf<typeof AgentRollout>

export const AgentRolloutDevice = defineTable('agent_rollout_devices', {
  rolloutId: references('agent_rollouts', integerKey()),
  deviceId: references('devices', key()),
  ring: integer(),
  askedAt: integer(),
  /** `skipped`: was shut down or slept meanwhile; no evidence about the version. */
  outcome: check(
    text<'asked' | 'updated' | 'failed' | 'skipped'>(),
    "outcome IN ('asked', 'updated', 'failed', 'skipped')",
  ),
  reason: textOrNull(),
}).with({ mirror: null })
/** A device that was asked to update in a rollout. */
export type AgentRolloutDeviceRow = RowOf<typeof AgentRolloutDevice>

export const InstallerKey = defineTable('installer_keys', {
  id: key(),
  tenantId: references('tenants'),
  creatorId: text(),
  creatorKind: text<'User' | 'ServiceAccount'>(),
  keyType: text<Exclude<InstallerKeyType, 'Unknown'>>(),
  secretHash: text(),
  friendlyName: textOrNull(),
  allowedUses: integerOrNull(),
  expiration: integerOrNull(),
  createdAt: integer(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: references('personal_access_tokens', textOrNull()),
}).with({
  mirror: null,
  indexes: { installer_keys_by_maker: '(madeWith) WHERE madeWith IS NOT NULL', installer_keys_by_tenant: '(tenantId)' },
})
export type InstallerKeyRow = RowOf<typeof InstallerKey>

export const InstallerKeyPlacement = defineTable('installer_key_placements', {
  keyId: references('installer_keys', key()),
  customerId: textOrNull(),
  /** JSON list of ids. */
  deviceGroupIds: text(),
  /** JSON list of ids. */
  tagIds: text(),
}).with({ mirror: null })
export type InstallerKeyPlacementRow = RowOf<typeof InstallerKeyPlacement>

export const InstallerKeyUsage = defineTable('installer_key_usages', {
  id: key(),
  keyId: references('installer_keys'),
  deviceId: text(),
  timestamp: integer(),
  remoteIpAddress: text(),
}).with({ mirror: null, indexes: { installer_key_usages_by_key: '(keyId, timestamp)' } })
/** A registration of a device with an installer key. */
export type InstallerKeyUsageRow = RowOf<typeof InstallerKeyUsage>

/** The key that signs the agents of this server, in one row. */
export const ReleaseKey = defineTable('release_key', {
  id: check(key<'server'>(), "id = 'server'"),
  /** Sealed. */
  key: text(),
  /** JSON: public keys up to this key, each signed by its predecessor. */
  named: text(),
}).with({ mirror: null })
