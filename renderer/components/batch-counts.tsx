import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconPlayerSkipForward,
  IconProgress,
  type Icon,
} from '@tabler/icons-react'
import { batchStates, type BatchDto, type BatchState } from '../../shared/dtos/batch.ts'
import * as t from '../texts.ts'
import classes from './batch-counts.module.css'

const icons: Readonly<Record<BatchState, Icon>> = {
  waiting: IconCircleDashed,
  running: IconProgress,
  done: IconCircleCheck,
  failed: IconCircleX,
  skipped: IconPlayerSkipForward,
  canceled: IconCircleMinus,
  interrupted: IconAlertTriangle,
}

/** State of a batch or of one of its devices, with icon. */
export function BatchStateMark({ state, number }: { state: BatchState; number?: number }) {
  const Sign = icons[state]
  return (
    <span className={classes.mark} data-state={state}>
      <Sign size={16} stroke={1.7} aria-hidden />
      {number !== undefined && <span className="tabular">{number.toLocaleString()}</span>}
      {t.batches.states[state]}
    </span>
  )
}

/** Number of devices of a batch per state; states without devices are left out. */
export const BatchCounts = ({ counts }: Pick<BatchDto, 'counts'>) => (
  <span className={classes.counts}>
    {batchStates
      .filter((state) => counts[state] > 0)
      .map((state) => (
        <BatchStateMark key={state} state={state} number={counts[state]} />
      ))}
  </span>
)
