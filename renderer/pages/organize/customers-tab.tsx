import { Select } from '@mantine/core'
import { IconBuildingStore } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import type { CustomerDetailsRequestDto } from '../../../shared/api/appliance-organization.ts'
import type { CustomerRequestDto } from '../../../shared/api/customers.ts'
import { api } from '../../api/http.ts'
import { organizeQueries } from '../../api/organize-queries.ts'
import { treeOf, type CustomerNode } from '../../components/customer-tree.ts'
import { deleteLater, useWaitingDeletions } from '../../components/list-kit/delete-later.tsx'
import { wholeList } from '../../components/list-kit/list-data.ts'
import { ListPage } from '../../components/list-kit/list-page.tsx'
import { ListView } from '../../components/list-kit/list-view.tsx'
import { SearchField } from '../../components/list-kit/search-field.tsx'
import { PaneSection, SidePane } from '../../components/list-kit/side-pane.tsx'
import { useListAddress } from '../../components/list-kit/use-list-address.ts'
import type { ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { problemText } from '../../components/problem-alert.tsx'
import { ThingRightsLinks } from '../../components/rights-links.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import { ContactList } from './contact-list.tsx'
import classes from './organize.module.css'
import { CreateField, DeleteButton, DevicesLink, includesText, MergeField, NameCell, SavedField } from './things.tsx'

const refreshMs = 10_000
const maxName = 100
const maxText = 500

const columns: ListColumn<CustomerNode>[] = [
  {
    id: 'name',
    label: t.organize.name,
    width: 'minmax(0, 1fr)',
    cell: ({ name, parentId }) => (
      <NameCell isSite={parentId !== null}>
        <span className="truncate">{name}</span>
      </NameCell>
    ),
  },
  {
    id: 'description',
    label: t.organize.description,
    width: 'minmax(0, 1fr)',
    from: 600,
    cell: ({ description }) => <span className="truncate muted">{description}</span>,
  },
  {
    id: 'devices',
    label: t.organize.devices,
    width: '90px',
    cell: ({ deviceCount }) => <span className="tabular">{deviceCount.toLocaleString()}</span>,
  },
]

function useCustomerWrites() {
  const client = useQueryClient()
  const { tenantId } = useSession().user
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['customers'] }),
      client.invalidateQueries({ queryKey: ['devices'] }),
    ])
  return { tenantId, refresh }
}

interface CustomerPaneProps {
  customer: CustomerNode
  customers: readonly CustomerNode[]
  mayWrite: boolean
  onClose: () => void
  onMerged: (customerId: string) => void
}

function CustomerPane({ customer, customers, mayWrite, onClose, onMerged }: CustomerPaneProps) {
  const { tenantId, refresh } = useCustomerWrites()
  const { id: customerId, name, description, notes, parentId, contacts } = customer
  const at = { tenantId, params: { customerId } }
  const update = async (changes: Partial<CustomerRequestDto>) => {
    await api.customers.update({ ...at, body: { name, description, notes, ...changes } })
    await refresh()
  }
  const setDetails = async (changes: Partial<CustomerDetailsRequestDto>) => {
    await api.organization.setCustomer({ ...at, body: { parentId, contacts: [...contacts], ...changes } })
    await refresh()
  }
  const move = useMutation({ mutationFn: (parent: string | null) => setDetails({ parentId: parent }) })
  const sites = customers.filter((one) => one.parentId === customerId).length
  const parents = customers.filter((one) => one.parentId === null && one.id !== customerId)
  return (
    <SidePane title={name} onClose={onClose}>
      <div className={classes.form}>
        <DevicesLink field="customer" name={name} count={customer.totalDevices} />
        <SavedField
          label={t.organize.name}
          maxLength={maxName}
          value={name}
          readOnly={!mayWrite}
          onSave={(next) => update({ name: next })}
        />
        <SavedField
          label={t.organize.description}
          maxLength={maxText}
          value={description ?? ''}
          readOnly={!mayWrite}
          onSave={(next) => update({ description: next || null })}
        />
        {sites === 0 && (parents.length > 0 || parentId !== null) && (
          <Select
            label={t.organize.customers.site}
            description={t.organize.customers.siteHint}
            placeholder={t.organize.customers.noSite}
            searchable
            clearable
            readOnly={!mayWrite}
            data={parents.map((one) => ({ value: one.id, label: one.name }))}
            value={parentId}
            error={move.error && problemText(move.error)}
            onChange={(next) => move.mutate(next)}
          />
        )}
        <ThingRightsLinks kind="CustomerTenant" id={customerId} />
        <PaneSection title={t.organize.customers.contacts}>
          <ContactList contacts={contacts} readOnly={!mayWrite} onSave={(next) => setDetails({ contacts: next })} />
        </PaneSection>
        <SavedField
          label={t.organize.customers.note}
          maxLength={maxText}
          isArea
          value={notes ?? ''}
          readOnly={!mayWrite}
          onSave={(next) => update({ notes: next || null })}
        />
        {mayWrite && (
          <MergeField
            name={name}
            others={customers.filter(({ id }) => id !== customerId)}
            hint={(into) => t.organize.customers.mergeHint(customer.deviceCount, sites, contacts.length, into)}
            onMerge={async (intoCustomerId) => {
              await api.organization.mergeCustomer({ ...at, body: { intoCustomerId } })
              await refresh()
              onMerged(intoCustomerId)
            }}
          />
        )}
        {mayWrite && (
          <DeleteButton
            label={t.organize.delete(name)}
            hint={t.organize.customers.deleteHint}
            onDelete={() => {
              onClose()
              deleteLater([customerId], t.organize.deleted(name), async () => {
                await api.customers.delete(at)
                await refresh()
              })
            }}
          />
        )}
      </div>
    </SidePane>
  )
}

/** Customers with their sites below them. */
export function CustomersTab({ tabs }: { tabs: ReactNode }) {
  const { can } = useSession()
  const mayWrite = can('tenant.customers.write')
  const { tenantId, refresh } = useCustomerWrites()
  const [address, change] = useListAddress(['q'])
  const query = useQuery({ ...organizeQueries.customers(tenantId), refetchInterval: refreshMs })
  const details = useQuery({ ...organizeQueries.customerDetails(tenantId), refetchInterval: refreshMs }).data
  const waiting = useWaitingDeletions()
  const all = useMemo(
    () =>
      treeOf(
        (query.data ?? []).filter(({ id }) => !waiting.has(id)),
        details ?? [],
      ),
    [query.data, details, waiting],
  )
  const data = wholeList(
    query,
    all.filter(({ name, description }) => includesText(`${name} ${description ?? ''}`, address.q)),
  )
  const open = all.find(({ id }) => id === address.open)
  const close = () => change({ open: '' })
  const create = mayWrite && (
    <CreateField
      id="new-customer"
      label={t.organize.customers.create}
      maxLength={maxName}
      create={async (name) => {
        const { id } = await api.customers.create({ tenantId, body: { name } })
        await refresh()
        change({ open: id, q: '' })
      }}
    />
  )
  return (
    <ListPage
      title={t.organize.title}
      intro={mayWrite ? t.organize.intro : t.organize.customers.readOnly}
      action={all.length > 0 && create}
      notice={tabs}
      filters={<SearchField label={t.organize.search} text={address.q} onChange={(q) => change({ q })} />}
      isFiltered={address.q !== ''}
      onClearFilters={() => change({ q: '' })}
      shown={query.data ? t.organize.customers.shown(data.rows.length) : ''}
      onClosePane={close}
      pane={
        open && (
          <CustomerPane
            key={open.id}
            customer={open}
            customers={all}
            mayWrite={mayWrite}
            onClose={close}
            onMerged={(id) => change({ open: id })}
          />
        )
      }
    >
      <ListView
        label={t.organize.tabs.customers}
        data={data}
        columns={columns}
        openId={address.open || undefined}
        onOpen={(id) => change({ open: id ?? '' })}
        isFiltered={address.q !== ''}
        onClearFilters={() => change({ q: '' })}
        empty={{
          icon: IconBuildingStore,
          title: t.organize.customers.emptyTitle,
          hint: t.organize.customers.emptyHint,
          action: create,
        }}
      />
    </ListPage>
  )
}
