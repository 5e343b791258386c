import type { BatchKind, BatchState } from '../../shared/dtos/batch.ts'
import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

export const Batch = defineTable('batches', {
  id: t.key(),
  /** Owner key, from `ownerOf`. */
  owner: t.text(),
  kind: t.text<BatchKind>(),
  /** Sealed, because a command may contain secrets; null for other kinds. */
  sealedCommand: t.textOrNull(),
  timeLimitSeconds: t.integerOrNull(),
  tagId: t.textOrNull(),
  /** Name of the tag at that time. */
  tagName: t.textOrNull(),
  createdAt: t.integer(),
  /** Null while devices are running. */
  finishedAt: t.integerOrNull(),
  /** A `BatchDeliveryDto` as JSON, sealed, because names may be secrets; null for other kinds. */
  sealedDelivery: t.textOrNull(),
  /** A `PowerTiming` as JSON, for restart and shut-down; null for at once. */
  power: t.textOrNull(),
  /** Run of the server that carries it out; empty where one server has the database for itself. */
  serverId: t.text(''),
  /** Account whose limits it uses, from `accountOf`; empty for batches from before this column. */
  account: t.text(''),
}).with({ mirror: null, indexes: { batches_owner: '(owner, createdAt)', batches_account: '(account, createdAt)' } })
/** An action on many devices. */
export type BatchRow = RowOf<typeof Batch>

export const BatchResult = defineTable('batch_results', {
  batchId: t.references('batches', t.key()),
  /** Index of the device in the request, from 0. */
  place: t.integer(),
  deviceId: t.key(),
  /** Name at that time; empty for a device that the principal could not see. */
  deviceName: t.text(),
  state: t.text<BatchState>(),
  reason: t.textOrNull(),
  startedAt: t.integerOrNull(),
  finishedAt: t.integerOrNull(),
  exitCode: t.integerOrNull(),
  /** Last line of the output, sealed. */
  sealedLine: t.textOrNull(),
  /** A `BatchOutputDto` as JSON, sealed; null without output. */
  sealedOutput: t.textOrNull(),
}).with({ mirror: null })
/** Result of one device in a batch. Kept after the device is deleted. */
export type BatchResultRow = RowOf<typeof BatchResult>
