import { fold } from '../../../shared/fold.ts'
import { Badge, Button } from '@mantine/core'
import { IconPlus, IconRobot } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { FilterChips } from '../../components/list-kit/filter-chips.tsx'
import { wholeList } from '../../components/list-kit/list-data.ts'
import { ListPage, ListView } from '../../components/list-kit/list-page.tsx'
import { SearchField } from '../../components/list-kit/search-field.tsx'
import { useListAddress } from '../../components/list-kit/use-list-address.ts'
import type { ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { pageWithRight } from '../../components/no-right.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { ServiceAccountPane } from './service-account-pane.tsx'
import {
  serviceAccountQueries,
  serviceAccountRights,
  keyStateOf,
  lastUseOf,
  type ServiceAccount,
  type Owner,
} from './service-accounts.ts'
import { NewServiceAccount } from './new-service-account.tsx'

const owners = ['tenant', 'server'] as const
const noFilters = { q: '', owner: '' }

const columns: readonly ListColumn<ServiceAccount>[] = [
  {
    id: 'name',
    label: t.common.name,
    width: 'minmax(0, 1fr)',
    cell: ({ name, description }) => (
      <>
        <bdi>{visibleName(name)}</bdi> {description && <span className="muted">{visibleName(description)}</span>}
      </>
    ),
  },
  {
    id: 'owner',
    label: t.serviceAccounts.belongs,
    width: '200px',
    from: 800,
    cell: ({ owner, accessMode }) => (
      <>
        {t.serviceAccounts.owner[owner]}{' '}
        {accessMode && (
          <Badge size="xs" variant="default" color={accessMode === 'Unrestricted' ? 'warning' : 'gray'}>
            {t.serviceAccounts.modes[accessMode]}
          </Badge>
        )}
      </>
    ),
  },
  {
    id: 'keys',
    label: t.serviceAccounts.keys,
    width: '120px',
    from: 560,
    cell: ({ credentials }) => (
      <span className="tabular">
        {t.serviceAccounts.keyCount(credentials.filter((key) => keyStateOf(key, Date.now()) === 'active').length)}
      </span>
    ),
  },
  {
    id: 'used',
    label: t.serviceAccounts.lastUsed,
    width: '110px',
    narrow: '76px',
    cell: (account) => {
      const at = lastUseOf(account)
      return at === undefined ? <span className="muted">{t.serviceAccounts.neverUsed}</span> : <RelativeTime at={at} />
    },
  },
  {
    id: 'state',
    label: t.common.state,
    width: '90px',
    narrow: '76px',
    cell: ({ isEnabled }) => (isEnabled ? t.serviceAccounts.enabled : t.serviceAccounts.disabled),
  },
]

/** Accounts of the organization and of the server, as far as the person may see them. */
function useAccounts({ q, owner }: typeof noFilters) {
  const { user, can } = useSession()
  const tenant = useQuery({
    ...serviceAccountQueries.list('tenant', user.tenantId),
    enabled: can(serviceAccountRights.tenant.read),
  })
  const server = useQuery({
    ...serviceAccountQueries.list('server', user.tenantId),
    enabled: can(serviceAccountRights.server.read),
  })
  const wanted = fold(q.trim())
  const all = useMemo(() => [...(tenant.data ?? []), ...(server.data ?? [])], [tenant.data, server.data])
  const rows = useMemo(
    () =>
      all.filter(
        (account) =>
          (owner === '' || account.owner === owner) &&
          fold(`${account.name} ${account.description ?? ''}`).includes(wanted),
      ),
    [all, owner, wanted],
  )
  const parts = [tenant, server].filter(({ isEnabled }) => isEnabled)
  const query = {
    data: parts.every(({ data }) => data) ? all : undefined,
    error: parts.find(({ error }) => error)?.error ?? null,
    isPending: parts.some(({ isPending }) => isPending),
    refetch: () => Promise.all(parts.map((part) => part.refetch())),
  }
  return { all, list: wholeList(query, rows) }
}

function Accounts() {
  const { can } = useSession()
  const [address, change, frame] = useListAddress(['q', 'owner'], ['new'])
  const setIsMaking = (isMaking: boolean) => change({ new: isMaking ? 'account' : '' })
  const { all, list } = useAccounts(address)
  const readable = owners.filter((owner) => can(serviceAccountRights[owner].read))
  const writable: Owner[] = owners.filter((owner) => can(serviceAccountRights[owner].write))
  const opened = all.find(({ id }) => id === address.open)
  const closePane = () => change({ open: '' })
  const action = writable.length > 0 && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setIsMaking(true)}>
      {t.serviceAccounts.create}
    </Button>
  )
  return (
    <ListPage
      list={frame}
      title={t.serviceAccounts.title}
      intro={
        writable.length > 0
          ? t.serviceAccounts.intro
          : t.serviceAccounts.needs(permissionTexts['service-account.write'].displayName)
      }
      action={action}
      filters={
        <>
          <SearchField label={t.serviceAccounts.search} text={address.q} onChange={(q) => change({ q })} />
          {readable.length > 1 && (
            <FilterChips
              label={t.serviceAccounts.owners}
              chips={readable.map((value) => ({
                value,
                label: t.serviceAccounts.owner[value],
                count: all.filter(({ owner }) => owner === value).length,
              }))}
              value={address.owner}
              onChange={(owner) => change({ owner })}
            />
          )}
        </>
      }
      shown={list.isPending || list.error ? '' : t.serviceAccounts.shown(list.rows.length)}
      pane={opened && <ServiceAccountPane key={opened.id} listed={opened} onClose={closePane} />}
    >
      <ListView
        list={frame}
        label={t.serviceAccounts.list}
        data={list}
        columns={columns}
        isMuted={({ isEnabled }) => !isEnabled}
        empty={{
          icon: IconRobot,
          title: t.serviceAccounts.emptyTitle,
          hint: t.serviceAccounts.emptyHint,
          action,
        }}
      />
      <NewServiceAccount
        owners={writable}
        isOpen={writable.length > 0 && address.new !== ''}
        onClose={() => setIsMaking(false)}
        onCreated={(id) => change({ ...noFilters, new: '', open: id })}
      />
    </ListPage>
  )
}

/** Service accounts of the organization and of the server. */
export const Component = pageWithRight(
  t.serviceAccounts.title,
  owners.map((owner) => serviceAccountRights[owner].read),
  Accounts,
)
