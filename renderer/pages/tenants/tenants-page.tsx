import { fold } from '../../../shared/fold.ts'
import { Badge, Button, Modal, Text } from '@mantine/core'
import { IconBuilding, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { TenantResponseDto } from '../../../shared/dtos/tenant.ts'
import { api } from '../../api/http.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { NameForm } from '../../components/list-kit/dialogs.tsx'
import { wholeList } from '../../components/list-kit/list-data.ts'
import { ListPage, ListView } from '../../components/list-kit/list-page.tsx'
import { SearchField } from '../../components/list-kit/search-field.tsx'
import { useListAddress } from '../../components/list-kit/use-list-address.ts'
import type { ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { pageWithRight } from '../../components/no-right.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { TenantPane } from './tenant-pane.tsx'

type Row = TenantResponseDto & { id: string }

const columnsFor = (ownId: string): readonly ListColumn<Row>[] => [
  {
    id: 'name',
    label: t.tenants.name,
    width: 'minmax(0, 1fr)',
    cell: ({ tenantName, id }) => (
      <>
        <bdi>{visibleName(tenantName)}</bdi>{' '}
        {id === ownId && (
          <Badge size="xs" variant="default">
            {t.tenants.yours}
          </Badge>
        )}
      </>
    ),
  },
  { id: 'id', label: t.tenants.id, width: '300px', from: 720, cell: ({ id }) => <code className="muted">{id}</code> },
]

const NewTenant = ({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) => (
  <NameForm
    submit={t.tenants.createSubmit}
    label={t.tenants.name}
    save={(name) => api.tenants.create({ body: { name: name.trim() } })}
    onSaved={async ({ tenantId }) => {
      await invalidate(serverQueries.tenants.queryKey)
      onClose()
      onCreated(tenantId)
    }}
    onCancel={onClose}
  >
    <Text c="dimmed">{t.tenants.createHint}</Text>
  </NameForm>
)

function Tenants() {
  const { user, can } = useSession()
  const [address, change, list] = useListAddress(['q'])
  const [isMaking, setIsMaking] = useState(false)
  const query = useQuery(serverQueries.tenants)
  const columns = useMemo(() => columnsFor(user.tenantId), [user.tenantId])
  const rows = useMemo(() => {
    const wanted = fold(address.q.trim())
    const named = (query.data ?? []).map((tenant) => ({ ...tenant, id: tenant.tenantId }))
    return named.filter(({ tenantName }) => fold(tenantName).includes(wanted))
  }, [query.data, address.q])
  const closePane = () => change({ open: '' })
  const action = can('server.tenants.write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setIsMaking(true)}>
      {t.tenants.create}
    </Button>
  )
  return (
    <ListPage
      list={list}
      title={t.tenants.title}
      intro={t.tenants.intro}
      action={action}
      filters={<SearchField label={t.tenants.search} text={address.q} onChange={(q) => change({ q })} />}
      shown={query.data ? t.tenants.shown(rows.length) : ''}
      pane={address.open && <TenantPane key={address.open} tenantId={address.open} onClose={closePane} />}
    >
      <ListView
        list={list}
        label={t.tenants.list}
        data={wholeList(query, rows)}
        columns={columns}
        empty={{ icon: IconBuilding, title: t.tenants.emptyTitle, hint: t.tenants.emptyHint, action }}
      />
      <Modal opened={isMaking} onClose={() => setIsMaking(false)} title={t.tenants.create}>
        <NewTenant onClose={() => setIsMaking(false)} onCreated={(open) => change({ q: '', open })} />
      </Modal>
    </ListPage>
  )
}

/** Organizations of the server. */
export const Component = pageWithRight(t.tenants.title, ['server.tenants.read'], Tenants)
