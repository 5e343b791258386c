import { IconAlertTriangle, IconCheck, IconClock, IconPlayerPause, IconX, type Icon } from '@tabler/icons-react'
import * as t from '../../../texts.ts'
import classes from './webhooks.module.css'

const icons: Record<keyof typeof t.webhooks.states, Icon | undefined> = {
  paused: IconPlayerPause,
  stopped: IconAlertTriangle,
  none: undefined,
  waiting: IconClock,
  retrying: IconClock,
  delivered: IconCheck,
  failed: IconX,
}

/** State of a webhook or a delivery, in words and with a sign. */
export function DeliveryMark({ state }: { state: keyof typeof t.webhooks.states }) {
  const Sign = icons[state]
  return (
    <span className={classes.mark} data-state={state}>
      {Sign && <Sign size={14} aria-hidden />}
      {t.webhooks.states[state]}
    </span>
  )
}
