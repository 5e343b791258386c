import type { BatchKind, BatchState } from '../../shared/dtos/batch.ts'
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

export const Batch = defineTable('batches', {
  id: key(),
  /** Owner key, from `ownerOf`. */
  owner: text(),
  kind: text<BatchKind>(),
  /** Sealed, because a command may contain secrets; null for other kinds. */
  sealedCommand: textOrNull(),
  timeLimitSeconds: integerOrNull(),
  tagId: textOrNull(),
  /** Name of the tag at that time. */
  tagName: textOrNull(),
  createdAt: integer(),
  /** Null while devices are running. */
  finishedAt: integerOrNull(),
  /** A `BatchDeliveryDto` as JSON, sealed, because names may be secrets; null for other kinds. */
  sealedDelivery: textOrNull(),
  /** A `PowerTiming` as JSON, for restart and shut-down; null for at once. */
  power: textOrNull(),
  /** Run of the server that carries it out; empty where one server has the database for itself. */
  serverId: text(''),
}).with({ mirror: null, indexes: { batches_owner: '(owner, createdAt)' } })
/** An action on many devices. */
export type BatchRow = RowOf<typeof Batch>

export const BatchResult = defineTable('batch_results', {
  batchId: references('batches', key()),
  /** Index of the device in the request, from 0. */
  place: integer(),
  deviceId: key(),
  /** Name at that time; empty for a device that the principal could not see. */
  deviceName: text(),
  state: text<BatchState>(),
  reason: textOrNull(),
  startedAt: integerOrNull(),
  finishedAt: integerOrNull(),
  exitCode: integerOrNull(),
  /** Last line of the output, sealed. */
  sealedLine: textOrNull(),
  /** A `BatchOutputDto` as JSON, sealed; null without output. */
  sealedOutput: textOrNull(),
}).with({ mirror: null })
/** Result of one device in a batch. Kept after the device is deleted. */
export type BatchResultRow = RowOf<typeof BatchResult>
