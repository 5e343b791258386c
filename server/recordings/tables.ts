import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'
import type { RecordingCause, RecordingKind, RecordingMode, RecordingState } from '../../shared/dtos/recording.ts'

/** A recording. Its bytes are in a file of the data folder, named after its id. */
export const Recording = defineTable('recordings', {
  id: t.key(),
  tenantId: t.references('tenants'),
  /** Customer of the device at the start, for retention and quota. */
  customerId: t.textOrNull(),
  /** Not a reference: a recording outlives its device. */
  deviceId: t.text(),
  deviceName: t.text(),
  kind: t.text<RecordingKind>(),
  sessionId: t.text(),
  personKind: t.text<'User' | 'ServiceAccount'>(),
  personId: t.text(),
  personName: t.text(),
  cause: t.text<RecordingCause>(),
  state: t.text<RecordingState>(),
  /** Why the recording ended early; null for one that ended with its session or by hand. */
  problem: t.textOrNull(),
  /** Milliseconds since 1970 (UTC) of the first entry. */
  startedAt: t.integer(),
  endedAt: t.integerOrNull(),
  /** Size of the file. */
  bytes: t.integer(),
  blocks: t.integer(),
  /** SHA-256 of the file, hexadecimal; null while the recording runs. */
  digest: t.textOrNull(),
  /** Data key, sealed. */
  sealedKey: t.text(),
  /** Run of the server that records; empty where one server has the database for itself. */
  serverId: t.text(''),
}).with({
  mirror: null,
  indexes: {
    recordings_by_tenant: '(tenantId, startedAt)',
    recordings_running: "(state) WHERE state = 'running'",
  },
})
export type RecordingRow = RowOf<typeof Recording>

/** Choice of the recorded sessions in a tenant, for a customer, or on devices with a tag. */
export const RecordingPolicy = defineTable('recording_policies', {
  id: t.key(),
  tenantId: t.references('tenants'),
  /** Both null: the policy of the whole tenant. */
  customerId: t.references('customers', t.textOrNull()),
  tagId: t.references('tags', t.textOrNull()),
  mode: t.text<RecordingMode>(),
  /** Null: as in the tenant, then the default. Not for tags. */
  retentionDays: t.integerOrNull(),
  quotaMegabytes: t.integerOrNull(),
}).with({ mirror: null, indexes: { recording_policies_by_tenant: '(tenantId)' } })
export type RecordingPolicyRow = RowOf<typeof RecordingPolicy>
