import {
  batchStates,
  type BatchDeliveryDto,
  type BatchDto,
  type BatchResultDto,
  type BatchState,
} from '../../shared/dtos/batch.ts'
import type { PowerTiming } from '../../shared/dtos/power-order.ts'
import { instant, instantOrNull } from '../ground/instant.ts'
import type { BatchRow, BatchResultRow } from './tables.ts'

/** A batch with its decrypted command or list of files, and the number of devices per state. */
export interface CountedBatch {
  batch: BatchRow
  command: string | null
  delivery: BatchDeliveryDto | null
  counts: Partial<Record<BatchState, number>>
}

/** A result without its output, with its last line decrypted. */
export type ListedResult = Omit<BatchResultRow, 'sealedLine' | 'sealedOutput'> & {
  lastLine: string | null
  hasOutput: boolean
  progress: number | null
}

export const presentBatch = ({ batch, command, delivery, counts }: CountedBatch): BatchDto => ({
  id: batch.id,
  kind: batch.kind,
  command,
  timeLimitSeconds: batch.timeLimitSeconds,
  tagId: batch.tagId,
  tagName: batch.tagName,
  power: batch.power === null ? null : (JSON.parse(batch.power) as PowerTiming),
  delivery,
  createdAt: instant(batch.createdAt),
  finishedAt: instantOrNull(batch.finishedAt),
  counts: Object.fromEntries(batchStates.map((state) => [state, counts[state] ?? 0])) as Record<BatchState, number>,
})

export const presentBatchResult = (result: ListedResult): BatchResultDto => ({
  deviceId: result.deviceId,
  deviceName: result.deviceName,
  state: result.state,
  reason: result.reason,
  startedAt: instantOrNull(result.startedAt),
  finishedAt: instantOrNull(result.finishedAt),
  exitCode: result.exitCode,
  lastLine: result.lastLine,
  hasOutput: result.hasOutput,
  progress: result.progress,
})
