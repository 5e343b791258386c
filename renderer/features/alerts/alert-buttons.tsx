import { Button, Menu } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import type { AlertDto } from '../../../shared/dtos/alert.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { isOfMoment, useAlertActions } from './use-alerts.ts'
import classes from './alerts.module.css'

interface AlertButtonsProps {
  alert: AlertDto
  size?: 'compact-sm' | 'sm'
}

/** Buttons that acknowledge and snooze an alert; none where the person may not, or nothing is left to do. */
export function AlertButtons({ alert, size = 'compact-sm' }: AlertButtonsProps) {
  const { pendingId, acknowledge, snooze } = useAlertActions()
  const { id, state, mayAct } = alert
  const title = visibleName(alert.title)
  const bar = useRef<HTMLDivElement>(null)
  const wasPressed = useRef(false)
  useEffect(() => {
    // The button that was pressed is gone with its state: the keyboard goes on at its neighbor.
    if (document.activeElement === document.body && wasPressed.current) {
      bar.current?.querySelector('button')?.focus()
    }
    wasPressed.current = false
  }, [state])
  if (!mayAct || state === 'closed') {
    return null
  }
  const isMoment = isOfMoment(alert)
  return (
    <div ref={bar} className={classes.actions} onClick={() => (wasPressed.current = true)}>
      {state !== 'acknowledged' && (
        <Button
          variant={size === 'sm' ? 'filled' : 'default'}
          size={size}
          loading={pendingId === id}
          aria-label={isMoment ? t.alerts.seenOne(title) : t.alerts.acknowledgeOne(title)}
          title={isMoment ? undefined : t.alerts.acknowledgeHint}
          onClick={() => acknowledge(id)}
        >
          {isMoment ? t.alerts.seen : t.alerts.acknowledge}
        </Button>
      )}
      {state === 'snoozed' && (
        <Button variant="default" size={size} onClick={() => snooze(id, 0)}>
          {t.alerts.endSnooze}
        </Button>
      )}
      {state !== 'snoozed' && !isMoment && (
        <Menu width={180}>
          <Menu.Target>
            <Button
              variant="default"
              size={size}
              rightSection={<IconChevronDown size={14} />}
              aria-label={t.alerts.snoozeOne(title)}
            >
              {t.alerts.snooze}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>{t.alerts.snoozeHint}</Menu.Label>
            {t.alerts.snoozes.map(({ minutes, label }) => (
              <Menu.Item key={minutes} onClick={() => snooze(id, minutes)}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  )
}
