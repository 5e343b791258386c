import type { BatchKind } from '../../shared/dtos/batch.ts'
import type { PowerTiming } from '../../shared/dtos/power-order.ts'
import type { CommandEndDto } from '../../shared/dtos/run-command.ts'
import type { Call } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { BatchFile } from './batch-files.ts'

/** Outcome of a batch on a device. */
export interface StepOutcome {
  state: 'done' | 'failed' | 'skipped' | 'interrupted'
  reason: string | null
  end?: CommandEndDto
}

/** Parameters of the step on each device. */
export interface StepOrder {
  batchId: string
  kind: BatchKind
  command: string
  timeLimitSeconds: number
  tagId: string
  /** Missing for a restart or shutdown at once. */
  power?: PowerTiming | undefined
  delivery: { files: readonly BatchFile[]; folder: string | null; overwrite: boolean }
  maxOutputBytes: number
  /** Aborts, with a sentence as its reason, to end a running step. */
  signal: AbortSignal
  /** Receives the part of a running step that is done, from 0 to 1. */
  onProgress: (part: number) => void
}

export type Step = (call: Call, device: DeviceState, order: StepOrder) => Promise<StepOutcome>

export const failed = (reason: string): StepOutcome => ({ state: 'failed', reason })
export const skipped = (reason: string): StepOutcome => ({ state: 'skipped', reason })
export const done = (reason: string | null = null): StepOutcome => ({ state: 'done', reason })
