import type { BatchState } from '../../shared/dtos/batch.ts'
import { defineTable, integer, integerOrNull, key, type RowOf, text, textOrNull } from './table.ts'

export const defineBatchResult = defineTable('batch_results', {
  batchId: key(),
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
})
/** Result of one device in a batch. Kept after the device is deleted. */
export type BatchResultRow = RowOf<typeof defineBatchResult>
