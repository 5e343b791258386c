import {
  defineTable,
  integer,
  integerOrNull,
  key,
  references,
  type RowOf,
  text,
  textOrNull,
} from '../engines/database/table.ts'
import type { RecordingCause, RecordingKind, RecordingMode, RecordingState } from '../../shared/dtos/recording.ts'

/** A recording. Its bytes are in a file of the data folder, named after its id. */
export const Recording = defineTable('recordings', {
  id: key(),
  tenantId: references('tenants'),
  /** Customer of the device at the start, for retention and quota. */
  customerId: textOrNull(),
  /** Not a reference: a recording outlives its device. */
  deviceId: text(),
  deviceName: text(),
  kind: text<RecordingKind>(),
  sessionId: text(),
  personKind: text<'User' | 'ServiceAccount'>(),
  personId: text(),
  personName: text(),
  cause: text<RecordingCause>(),
  state: text<RecordingState>(),
  /** Why the recording ended early; null for one that ended with its session or by hand. */
  problem: textOrNull(),
  /** Milliseconds since 1970 (UTC) of the first entry. */
  startedAt: integer(),
  endedAt: integerOrNull(),
  /** Size of the file. */
  bytes: integer(),
  blocks: integer(),
  /** SHA-256 of the file, hexadecimal; null while the recording runs. */
  digest: textOrNull(),
  /** Data key, sealed. */
  sealedKey: text(),
  /** Run of the server that records; empty where one server has the database for itself. */
  serverId: text(''),
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
  id: key(),
  tenantId: references('tenants'),
  /** Both null: the policy of the whole tenant. */
  customerId: references('customers', textOrNull()),
  tagId: references('tags', textOrNull()),
  mode: text<RecordingMode>(),
  /** Null: as in the tenant, then the default. Not for tags. */
  retentionDays: integerOrNull(),
  quotaMegabytes: integerOrNull(),
}).with({ mirror: null, indexes: { recording_policies_by_tenant: '(tenantId)' } })
export type RecordingPolicyRow = RowOf<typeof RecordingPolicy>
