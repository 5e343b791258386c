import { IconPlayerPlay, IconTag, IconTagOff, type Icon } from '@tabler/icons-react'
import type { BatchDto, BatchKind, BatchState } from '../../shared/dtos/batch.ts'
import { deviceActions } from './device-actions.ts'

/** Kinds of bulk jobs, in menu order. */
export const batchIcons: Readonly<Record<BatchKind, Icon>> = {
  'run-command': IconPlayerPlay,
  restart: deviceActions.restart.icon,
  'update-agent': deviceActions.update.icon,
  'add-tag': IconTag,
  'shut-down': deviceActions.shutdown.icon,
  wake: deviceActions.wake.icon,
  'remove-tag': IconTagOff,
}

/** Number of devices of a batch. */
export const totalOf = ({ counts }: BatchDto) => Object.values(counts).reduce((sum, number) => sum + number, 0)

/** Number of devices of a batch that have finished. */
export const endedOf = (batch: BatchDto) => totalOf(batch) - batch.counts.waiting - batch.counts.running

/** States in which a device can be retried. */
export const repeatable: ReadonlySet<BatchState> = new Set(['failed', 'skipped', 'canceled', 'interrupted'])
