import { IconBell } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import { alertStates, type AlertDto, type AlertState } from '../../../shared/dtos/alert.ts'
import { alertQueries } from '../../api/alert-queries.ts'
import { Chip } from '../../components/list-kit/chip.tsx'
import { FilterChips } from '../../components/list-kit/filter-chips.tsx'
import { infiniteList } from '../../components/list-kit/list-data.ts'
import { ListPage, ListView } from '../../components/list-kit/list-page.tsx'
import { useListAddress } from '../../components/list-kit/use-list-address.ts'
import { signTrack, type ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { AlertMark } from '../../features/alerts/alert-mark.tsx'
import { takenBy } from '../../features/alerts/alert-cards.tsx'
import { useAlertSummary } from '../../features/alerts/use-alerts.ts'
import { useDevice } from '../../hooks/use-device.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import { AboutFilters } from './about-filters.tsx'
import { AlertPane } from './alert-pane.tsx'

const columns: readonly ListColumn<AlertDto>[] = [
  {
    id: 'state',
    label: '',
    width: signTrack,
    cell: ({ state }) => <AlertMark state={state} isShort />,
  },
  {
    id: 'alert',
    label: t.alertPages.alert,
    width: 'minmax(0, 2fr)',
    cell: ({ title, lines }) => (
      <span className="truncate" title={[title, ...lines].map(visibleName).join('\n')}>
        {visibleName(title)}
        {lines[0] !== undefined && <span className="muted"> {visibleName(lines[0])}</span>}
      </span>
    ),
  },
  {
    id: 'by',
    label: t.alertPages.takenBy,
    width: 'minmax(0, 1fr)',
    from: 720,
    cell: (alert) => <span className="muted truncate">{takenBy(alert)}</span>,
  },
  {
    id: 'opened',
    label: t.alertPages.opened,
    width: '100px',
    narrow: '76px',
    cell: ({ openedAt }) => <RelativeTime at={openedAt} />,
  },
]

const isState = (text: string): text is AlertState => alertStates.some((state) => state === text)

/** Chip of the device that the address names; a click shows all devices. */
function DeviceChip({ deviceId, onClear }: { deviceId: string; onClear: () => void }) {
  const { data: device } = useDevice(deviceId)
  return (
    <Chip isOn onClick={onClear}>
      {t.alertPages.onlyDevice(device ? nameOfDevice(device) : '…')}
    </Chip>
  )
}

/** List of alerts: those that are not closed, or one state of them. */
export function AlertsPart({ tabs }: { tabs: ReactNode }) {
  const [address, change, frame] = useListAddress(['state', 'device', 'rule', 'customer'])
  const state = isState(address.state) ? address.state : 'active'
  const { device, rule, customer } = address
  const query = useInfiniteQuery(
    alertQueries.list(state, {
      deviceId: device || undefined,
      ruleId: rule || undefined,
      customerId: customer || undefined,
    }),
  )
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data])
  const list = infiniteList(query, rows)
  const summary = useAlertSummary()
  return (
    <ListPage
      list={frame}
      title={t.alerts.title}
      intro={t.alertPages.intro}
      notice={tabs}
      filters={
        <>
          <FilterChips
            label={t.common.state}
            chips={alertStates.map((value) => ({
              value,
              label: t.alerts.states[value],
              count: value === 'closed' ? undefined : summary?.[value],
            }))}
            value={address.state}
            onChange={(wanted) => change({ state: wanted })}
          />
          <AboutFilters rule={rule} customer={customer} onChange={change} />
          {device !== '' && <DeviceChip deviceId={device} onClear={() => change({ device: '' })} />}
        </>
      }
      shown={query.data ? t.alertPages.shown(rows.length, query.hasNextPage) : ''}
      pane={
        address.open !== '' && (
          <AlertPane
            key={address.open}
            alertId={address.open}
            listed={rows.find(({ id }) => id === address.open)}
            onClose={() => change({ open: '' })}
          />
        )
      }
    >
      <ListView
        list={frame}
        label={t.alertPages.list}
        data={list}
        columns={columns}
        isMuted={({ state: of }) => of === 'closed' || of === 'snoozed'}
        empty={{ icon: IconBell, title: t.alertPages.emptyTitle, hint: t.alertPages.emptyHint }}
        noMatch={{ title: t.alertPages.noMatch, hint: t.alertPages.noMatchHint }}
      />
    </ListPage>
  )
}
