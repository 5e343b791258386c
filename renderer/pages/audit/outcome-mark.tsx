import { IconCheck, IconX } from '@tabler/icons-react'
import type { AuditOutcome } from '../../../shared/audit.ts'
import * as t from '../../texts.ts'
import classes from './audit.module.css'

export const OutcomeMark = ({ outcome }: { outcome: AuditOutcome }) => {
  const Sign = outcome === 'failure' ? IconX : IconCheck
  return (
    <span className={classes.outcome} data-outcome={outcome}>
      <Sign size={14} aria-hidden />
      {t.audit.outcomes[outcome]}
    </span>
  )
}
