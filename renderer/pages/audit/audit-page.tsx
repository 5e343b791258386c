import { Button, Menu } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconChevronDown, IconDownload, IconHistory, IconRefresh } from '@tabler/icons-react'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Moment } from '../../components/moment.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { infiniteList } from '../../components/list-kit/list-data.ts'
import { ListPage, ListView } from '../../components/list-kit/list-page.tsx'
import { useAddressState } from '../../hooks/use-address-state.ts'
import { pageWithRight } from '../../components/no-right.tsx'
import * as t from '../../texts.ts'
import { AuditFilterBar } from './audit-filters.tsx'
import { AuditPane } from './audit-pane.tsx'
import { auditQueries } from './audit-queries.ts'
import { noFilters, readAudit, toFilters, writeAudit, type AuditState } from './audit-url.ts'
import { ChainLine } from './chain-line.tsx'
import type { AuditEventDto } from '../../../shared/dtos/audit-event.ts'
import { signTrack, type ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { visibleName } from '../../text/visible-name.ts'
import { OutcomeMark } from './outcome-mark.tsx'
import { applianceAuditLog, type AuditFilters } from '../../../shared/api/appliance-audit-log.ts'
import { buildUrl } from '../../../shared/contract/client.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { saveAddress } from '../../features/transfers/download.ts'

const auditColumns: readonly ListColumn<AuditEventDto>[] = [
  {
    id: 'at',
    label: t.audit.at,
    width: '136px',
    narrow: '72px',
    cell: ({ at }) => <Moment at={at} />,
  },
  {
    id: 'event',
    label: t.audit.event,
    width: 'minmax(0, 1fr)',
    cell: ({ sentence }) => <bdi>{visibleName(sentence)}</bdi>,
  },
  {
    id: 'address',
    label: t.audit.address,
    width: '136px',
    from: 760,
    cell: ({ address }) => <span className="mono muted">{visibleName(address ?? '')}</span>,
  },
  {
    id: 'outcome',
    label: t.audit.outcome,
    width: '76px',
    narrow: signTrack,
    cell: ({ outcome }) => <OutcomeMark outcome={outcome} />,
  },
]

const { export: ofTenant, exportAll } = applianceAuditLog.routes

interface ExportMenuProps {
  isOfServer: boolean
  filters: AuditFilters
}

/** Saves every matching entry as a file. */
function ExportMenu({ isOfServer, filters }: ExportMenuProps) {
  const save = useMutation({
    mutationFn: (format: 'csv' | 'jsonl') =>
      saveAddress(buildUrl((isOfServer ? exportAll : ofTenant).path, { query: { ...filters, format } })),
  })
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.6} />}
            rightSection={<IconChevronDown size={14} stroke={1.6} />}
            loading={save.isPending}
          >
            {t.audit.export}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t.audit.exportHint}</Menu.Label>
          <Menu.Item onClick={() => save.mutate('csv')}>{t.audit.exportCsv}</Menu.Item>
          <Menu.Item onClick={() => save.mutate('jsonl')}>{t.audit.exportLines}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {save.error && <ProblemAlert error={save.error} title={t.audit.exportFailed} />}
    </>
  )
}

const typingMs = 200

/** The entries that match the filters, and whose they are. */
function useAuditLog({ person, device, kind, from, to, isFailure }: AuditState) {
  const chain = useQuery(auditQueries.chain)
  const isOfServer = chain.data?.isOfServer ?? false
  const filters = useMemo(
    () => toFilters({ person, device, kind, from, to, isFailure, eventId: undefined }),
    [person, device, kind, from, to, isFailure],
  )
  const [settled] = useDebouncedValue(filters, typingMs)
  const query = useInfiniteQuery({ ...auditQueries.list(isOfServer, settled), enabled: chain.data !== undefined })
  const events = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data])
  const list = { ...infiniteList(query, events), hasMore: query.hasNextPage }
  return { chain, isOfServer, filters, isFiltered: Object.keys(filters).length > 0, list, events }
}

function AuditLog() {
  const [state, change] = useAddressState(readAudit, writeAudit)
  const { chain, isOfServer, filters, isFiltered, list, events } = useAuditLog(state)
  const { eventId } = state
  const handleChange = (changes: Partial<AuditState>) =>
    // Opening and closing the details adds a history entry.
    change(changes, !('eventId' in changes) || (changes.eventId !== undefined && eventId !== undefined))
  const close = () => handleChange({ eventId: undefined })
  const frame = {
    openId: eventId,
    onOpen: (opened: number | undefined) => handleChange({ eventId: opened }),
    isFiltered,
    onClearFilters: () => handleChange(noFilters),
  }
  return (
    <ListPage
      list={frame}
      title={t.audit.title}
      intro={t.audit.intro}
      action={chain.data && <ExportMenu isOfServer={isOfServer} filters={filters} />}
      notice={<ChainLine chain={chain} />}
      filters={<AuditFilterBar state={state} onChange={handleChange} />}
      shown={list.rows.length > 0 ? t.audit.shown(events.length, list.hasMore) : ''}
      tools={
        <IconButton label={t.common.refresh} icon={<IconRefresh size={18} stroke={1.6} />} onClick={list.reload} />
      }
      pane={
        eventId !== undefined &&
        chain.data && (
          <AuditPane
            id={eventId}
            isOfServer={isOfServer}
            known={events.find(({ id }) => id === eventId)}
            onFilter={handleChange}
            onClose={close}
          />
        )
      }
    >
      {(chain.data ?? !chain.error) && (
        <ListView
          list={frame}
          label={t.audit.list}
          data={list}
          columns={auditColumns}
          empty={{ icon: IconHistory, title: t.audit.emptyTitle, hint: t.audit.emptyHint }}
          noMatch={{ title: t.audit.noMatch, hint: t.audit.noMatchHint }}
        />
      )}
    </ListPage>
  )
}

/** The audit log: of the whole server, or for readers of a tenant its own. */
export const Component = pageWithRight(t.audit.title, ['appliance.audit.read'], AuditLog)
