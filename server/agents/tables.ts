import type { InstallerKeyType } from '../../shared/dtos/installer-key.ts'
import {
  defineTable,
  integer,
  integerKey,
  integerOrNull,
  key,
  type RowOf,
  text,
  textOrNull,
} from '../database/table.ts'

export const defineAgentRelease = defineTable('agent_releases', {
  /** Time of its first signature in ms since 1970; later entries have greater times, regardless of the clock. */
  build: integerKey(),
  runtime: text(),
  version: text(),
  bundleSha256: text(),
  tarSha256: textOrNull(),
  installerSha256: text(),
})
/** A signed agent for a system. Of entries with the same files the newest counts. */
export type AgentReleaseRow = RowOf<typeof defineAgentRelease>

export const defineAgentRollout = defineTable('agent_rollouts', {
  /** Time of its start in ms since 1970, or the next free number. */
  id: integerKey(),
  tenantId: text(),
  version: text(),
  ring: integer(),
  state: text<'running' | 'stopped' | 'done'>(),
  /** When the last device of the ring was settled; null while one is not. */
  settledAt: integerOrNull(),
  /** Why it was stopped. */
  reason: textOrNull(),
})
/** A new version of the agent that the devices of a tenant get in rings: one, ten per cent, all. */
export type AgentRolloutRow = RowOf<typeof defineAgentRollout>

export const defineAgentRolloutDevice = defineTable('agent_rollout_devices', {
  rolloutId: integerKey(),
  deviceId: key(),
  ring: integer(),
  askedAt: integer(),
  /** `skipped`: was shut down or slept meanwhile; no evidence about the version. */
  outcome: text<'asked' | 'updated' | 'failed' | 'skipped'>(),
  reason: textOrNull(),
})
/** A device that was asked to update in a rollout. */
export type AgentRolloutDeviceRow = RowOf<typeof defineAgentRolloutDevice>

export const defineInstallerKey = defineTable('installer_keys', {
  id: key(),
  tenantId: text(),
  creatorId: text(),
  creatorKind: text<'User' | 'ServiceAccount'>(),
  keyType: text<Exclude<InstallerKeyType, 'Unknown'>>(),
  secretHash: text(),
  friendlyName: textOrNull(),
  allowedUses: integerOrNull(),
  expiration: integerOrNull(),
  createdAt: integer(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: textOrNull(),
})
export type InstallerKeyRow = RowOf<typeof defineInstallerKey>

export const defineInstallerKeyPlacement = defineTable('installer_key_placements', {
  keyId: key(),
  customerId: textOrNull(),
  /** JSON list of ids. */
  deviceGroupIds: text(),
  /** JSON list of ids. */
  tagIds: text(),
})
export type InstallerKeyPlacementRow = RowOf<typeof defineInstallerKeyPlacement>

export const defineInstallerKeyUsage = defineTable('installer_key_usages', {
  id: key(),
  keyId: text(),
  deviceId: text(),
  timestamp: integer(),
  remoteIpAddress: text(),
})
/** A registration of a device with an installer key. */
export type InstallerKeyUsageRow = RowOf<typeof defineInstallerKeyUsage>

/** The key that signs the agents of this server, in one row. */
export const defineReleaseKey = defineTable('release_key', {
  id: key<'server'>(),
  /** Sealed. */
  key: text(),
  /** JSON: public keys up to this key, each signed by its predecessor. */
  named: text(),
})
