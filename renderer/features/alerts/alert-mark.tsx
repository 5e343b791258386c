import { IconBell, IconBellZ, IconCircleCheck, IconUserCheck, type Icon } from '@tabler/icons-react'
import type { AlertState } from '../../../shared/dtos/alert.ts'
import * as t from '../../texts.ts'
import classes from './alerts.module.css'

export const alertIcons: Record<AlertState, Icon> = {
  open: IconBell,
  acknowledged: IconUserCheck,
  snoozed: IconBellZ,
  closed: IconCircleCheck,
}

/** State of an alert: a sign, and its word or only for screen readers. */
export function AlertMark({ state, isShort = false }: { state: AlertState; isShort?: boolean }) {
  const Sign = alertIcons[state]
  return (
    <span className={classes.state} data-state={state} title={isShort ? t.alerts.states[state] : undefined}>
      <Sign size={16} stroke={1.6} aria-hidden />
      <span className={isShort ? 'visually-hidden' : undefined}>{t.alerts.states[state]}</span>
    </span>
  )
}
