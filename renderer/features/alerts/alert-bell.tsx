import { ActionIcon, Popover, Tooltip } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useState } from 'react'
import { TextLink } from '../../components/links.tsx'
import { QueryState } from '../../components/query-state.tsx'
import * as t from '../../texts.ts'
import { AlertCards } from './alert-cards.tsx'
import { useAlertSummary, useNewestAlerts } from './use-alerts.ts'
import badge from '../../components/count-badge.module.css'
import classes from './alerts.module.css'

const mostShown = 99
const shownCount = (count: number) => (count > mostShown ? `${mostShown}+` : String(count))

/** Number of open alerts beside the entry of their page; nothing when zero. */
export function AlertCount() {
  const open = useAlertSummary()?.open ?? 0
  return (
    open > 0 && (
      <span className={badge.badge} data-badge title={t.alerts.open(open)}>
        <span aria-hidden>{shownCount(open)}</span>
        <span className="visually-hidden">{t.alerts.open(open)}</span>
      </span>
    )
  )
}

function NewestAlerts({ onClose }: { onClose: () => void }) {
  const query = useNewestAlerts()
  const { data } = query
  return (
    <>
      <div className={classes.popoverHead}>
        <h2>{t.alerts.title}</h2>
        <TextLink to="/alerts" onClick={onClose}>
          {t.alerts.all}
        </TextLink>
      </div>
      {!data && <QueryState query={query} height={96} />}
      {data?.length === 0 && (
        <p className="muted">
          {t.alerts.none}. {t.alerts.noneHint}
        </p>
      )}
      {data && data.length > 0 && <AlertCards label={t.alerts.title} alerts={data} onOpen={onClose} />}
    </>
  )
}

/** Bell with the number of open alerts; opens the newest ones, which can be acknowledged and snoozed there. */
export function AlertBell() {
  const summary = useAlertSummary()
  const [isOpen, setIsOpen] = useState(false)
  if (!summary) {
    return null
  }
  const { open } = summary
  const label = t.alerts.bell(open)
  return (
    <Popover
      width={420}
      opened={isOpen}
      onChange={setIsOpen}
      position="bottom-start"
      trapFocus
      returnFocus
      withinPortal
    >
      <Popover.Target>
        <Tooltip label={label} disabled={isOpen}>
          <ActionIcon size={28} className={classes.bell!} aria-label={label} onClick={() => setIsOpen(!isOpen)}>
            <IconBell size={18} stroke={1.6} />
            {open > 0 && (
              <span className={classes.bellCount} aria-hidden>
                {shownCount(open)}
              </span>
            )}
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown className={classes.popover!} aria-label={t.alerts.title}>
        <NewestAlerts onClose={() => setIsOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}
