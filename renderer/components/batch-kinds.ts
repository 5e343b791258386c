import {
  IconPlayerPlay,
  IconPower,
  IconRefresh,
  IconRefreshDot,
  IconSunrise,
  IconTag,
  IconTagOff,
  type Icon,
} from '@tabler/icons-react'
import type { BatchDto, BatchKind, BatchState } from '../../shared/dtos/batch.ts'

/** What can be done with many devices, in the order in which it is offered. */
export const batchIcons: Readonly<Record<BatchKind, Icon>> = {
  'run-command': IconPlayerPlay,
  restart: IconRefresh,
  'update-agent': IconRefreshDot,
  'add-tag': IconTag,
  'shut-down': IconPower,
  wake: IconSunrise,
  'remove-tag': IconTagOff,
}

/** Devices of a batch. */
export const totalOf = ({ counts }: BatchDto) => Object.values(counts).reduce((sum, number) => sum + number, 0)

/** Those with which nothing happens any more. */
export const endedOf = (batch: BatchDto) => totalOf(batch) - batch.counts.waiting - batch.counts.running

/** What somebody may want to try again. */
export const repeatable: ReadonlySet<BatchState> = new Set(['failed', 'skipped', 'canceled', 'interrupted'])
