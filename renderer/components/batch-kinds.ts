import { IconFileExport, IconPlayerPlay, IconTag, IconTagOff, type Icon } from '@tabler/icons-react'
import type { BatchDto, BatchKind, BatchState } from '../../shared/dtos/batch.ts'
import * as t from '../texts.ts'
import { visibleName } from '../text/visible-name.ts'
import { deviceActions } from './device-actions.ts'

interface BatchKindView {
  icon: Icon
  /** State of the devices that the kind skips. */
  skips?: 'online' | 'offline'
  /** Confirmed by typing the number of devices; a command may do anything. */
  isDestructive?: true
  /** Shown as a button; the others are under "More". */
  isInFront?: true
}

/** How the page shows each kind of bulk job, in menu order. */
export const batchKinds: Readonly<Record<BatchKind, BatchKindView>> = {
  'run-command': { icon: IconPlayerPlay, skips: 'offline', isDestructive: true, isInFront: true },
  restart: { icon: deviceActions.restart.icon, skips: 'offline', isDestructive: true, isInFront: true },
  'send-files': { icon: IconFileExport, skips: 'offline', isInFront: true },
  'update-agent': { icon: deviceActions.update.icon, skips: 'offline', isInFront: true },
  'add-tag': { icon: IconTag, isInFront: true },
  'remove-tag': { icon: IconTagOff },
  wake: { icon: deviceActions.wake.icon, skips: 'online' },
  'shut-down': { icon: deviceActions.shutdown.icon, skips: 'offline', isDestructive: true },
}
export const allBatchKinds = Object.keys(batchKinds) as BatchKind[]

/** Number of devices of a batch. */
export const totalOf = ({ counts }: BatchDto) => Object.values(counts).reduce((sum, number) => sum + number, 0)

/** Number of devices of a batch that have finished. */
export const endedOf = (batch: BatchDto) => totalOf(batch) - batch.counts.waiting - batch.counts.running

/** States in which a device can be retried. */
export const repeatable: ReadonlySet<BatchState> = new Set(['failed', 'skipped', 'canceled', 'interrupted'])

/** Names of the files that a batch sends, and their folder. */
export const sentTo = ({ files, folder }: NonNullable<BatchDto['delivery']>) =>
  t.batches.sentTo(
    files.map(({ name }) => visibleName(name)),
    folder,
  )
