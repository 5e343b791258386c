import { Button } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react'
import * as t from '../texts.ts'
import { visibleName } from '../text/visible-name.ts'
import classes from './server-notice-line.module.css'

const icons = { 0: IconInfoCircle, 1: IconAlertTriangle, 2: IconCircleX, 3: IconCircleCheck } as const

interface ServerNoticeLineProps {
  message: string
  severity: keyof typeof icons
  onDismiss?: () => void
}

/** The notice of the administrators: plain text in the color of its severity. */
export function ServerNoticeLine({ message, severity, onDismiss }: ServerNoticeLineProps) {
  const Icon = icons[severity]
  return (
    <div className={classes.line} data-severity={severity}>
      <Icon size={18} stroke={1.6} aria-hidden />
      <p>
        <strong>{t.server.severities[severity]}:</strong> <bdi>{visibleName(message)}</bdi>
      </p>
      {onDismiss && (
        <Button size="compact-sm" variant="default" onClick={onDismiss}>
          {t.serverNotice.dismiss}
        </Button>
      )}
    </div>
  )
}
