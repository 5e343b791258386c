import { ActionIcon, Button, Checkbox, Popover, Tooltip } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'
import type { DeviceSearchResponseDto } from '../../../shared/api/devices.ts'
import { useIsAway } from '../../hooks/use-is-away.ts'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { en as t } from '../../strings/en.ts'
import { SearchField } from '../../components/list-kit/search-field.tsx'
import listPage from '../../components/list-page.module.css'
import classes from './devices-page.module.css'
import type { ListState } from './list-url.ts'
import type { DeviceColumns } from './use-columns.ts'

interface FilterBarProps {
  state: ListState
  counts: DeviceSearchResponseDto | undefined
  /** Number of devices after search and filters. */
  total: number
  /** Whether the list still shows the previous search. */
  isWaiting: boolean
  columns: DeviceColumns
  onChange: (change: Partial<ListState>) => void
}

export function FilterBar({ state, counts, total, isWaiting, columns, onChange }: FilterBarProps) {
  const isAway = useIsAway()
  const isLate = useIsLate(isWaiting)
  const chips = [
    { show: 'online', label: t.devices.online, count: counts?.filterCounts.onlineDevices },
    { show: 'offline', label: t.devices.offline, count: counts?.filterCounts.offlineDevices },
  ] as const
  const hidden = state.show ? Math.max(0, (counts?.totalItems ?? total) - total) : 0
  return (
    <div className={listPage.filters} role="search">
      <SearchField label={t.devices.search} text={state.text} onChange={(text) => onChange({ text })} />
      <div className={listPage.chips} role="group" aria-label={t.devices.filters}>
        {chips.map(({ show, label, count }) => (
          <button
            key={show}
            type="button"
            className={listPage.chip}
            aria-pressed={state.show === show}
            onClick={() => onChange({ show: state.show === show ? undefined : show })}
          >
            {label}
            <span className="tabular muted">{count?.toLocaleString()}</span>
          </button>
        ))}
      </div>
      <span className={`${listPage.count} small muted tabular`} role="status">
        {isLate ? (isAway ? t.devices.searchWaits : t.devices.searching) : counts && t.devices.shown(total)}
        {hidden > 0 && !isLate && (
          <>
            {' · '}
            {t.devices.hidden(hidden)}{' '}
            <button type="button" className="link-button" onClick={() => onChange({ show: undefined })}>
              {t.devices.showAll}
            </button>
          </>
        )}
      </span>
      <Popover position="bottom-end" withinPortal trapFocus returnFocus>
        <Popover.Target>
          <Tooltip label={t.devices.columns}>
            <ActionIcon aria-label={t.devices.columns} size="lg" ml="auto">
              <IconColumns3 size={18} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        </Popover.Target>
        <Popover.Dropdown className={classes.choices}>
          {columns.choices.map((column) => (
            <Checkbox
              key={column.id}
              size="xs"
              label={String(column.columnDef.header)}
              checked={column.getIsVisible()}
              onChange={(event) => column.toggleVisibility(event.currentTarget.checked)}
            />
          ))}
          <Button variant="subtle" size="compact-sm" onClick={columns.reset}>
            {t.devices.resetColumns}
          </Button>
        </Popover.Dropdown>
      </Popover>
    </div>
  )
}
