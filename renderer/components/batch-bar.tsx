import { Progress } from '@mantine/core'
import type { BatchDto, BatchState } from '../../shared/dtos/batch.ts'
import * as t from '../texts.ts'
import { endedOf, totalOf } from './batch-kinds.ts'

/** Colors of the outcomes, in the order of the bar; what waits or runs is its empty end. */
const colors = {
  done: 'var(--online-mark)',
  failed: 'var(--danger-filled)',
  interrupted: 'var(--warning-mark)',
  skipped: 'var(--offline-mark)',
  canceled: 'var(--offline-mark)',
} as const satisfies Partial<Record<BatchState, string>>
const outcomes = Object.keys(colors) as (keyof typeof colors)[]

/** Progress of a batch: the share of each outcome in its color, so that a failed job is no green bar. */
export function BatchBar({ batch, width }: { batch: BatchDto; width: number }) {
  const total = totalOf(batch)
  const ended = endedOf(batch)
  const shown = outcomes.filter((state) => batch.counts[state] > 0)
  return (
    <Progress.Root
      w={width}
      role="progressbar"
      aria-label={t.batches.progress(ended, total)}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={ended}
    >
      {shown.map((state) => (
        <Progress.Section
          key={state}
          withAria={false}
          value={(100 * batch.counts[state]) / total}
          color={colors[state]}
          data-state={state}
        />
      ))}
    </Progress.Root>
  )
}
