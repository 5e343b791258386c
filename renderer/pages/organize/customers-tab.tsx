import { Select } from '@mantine/core'
import { IconBuildingStore } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import type { CustomerDetailsRequestDto } from '../../../shared/api/appliance-organization.ts'
import type { CustomerRequestDto } from '../../../shared/api/customers.ts'
import { maxResourceName, maxResourceText } from '../../../shared/contract/fields.ts'
import { api } from '../../api/http.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { treeOf, type CustomerNode } from '../../components/customer-tree.ts'
import { useWaitingDeletions } from '../../components/list-kit/delete-later.ts'
import { PaneSection } from '../../components/list-kit/side-pane.tsx'
import { problemText } from '../../components/problem-alert.tsx'
import { ThingRightsLinks } from '../../components/rights-links.tsx'
import { FleetHistory } from '../../features/history/fleet-history.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { ContactList } from './contact-list.tsx'
import { columnsOf, refreshMs, ItemList, ItemPane, useItems, type PaneHandlers } from './item-list.tsx'
import { NameCell, SavedField } from './organize-fields.tsx'

const columns = columnsOf<CustomerNode>(
  ({ name, parentId }) => <NameCell name={name} isSite={parentId !== null} />,
  ({ deviceCount }) => deviceCount,
)

const useCustomers = () => useItems('customers', (customerId) => api.customers.delete({ params: { customerId } }))

interface CustomerPaneProps extends PaneHandlers {
  customer: CustomerNode
  customers: readonly CustomerNode[]
  mayWrite: boolean
}

function CustomerPane({ customer, customers, mayWrite, ...handlers }: CustomerPaneProps) {
  const { refresh, remove } = useCustomers()
  const { id: customerId, name, description, notes, parentId, contacts } = customer
  const at = { params: { customerId } }
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
    <ItemPane
      {...handlers}
      item={customer}
      field="customer"
      deviceCount={customer.totalDevices}
      maxName={maxResourceName}
      mayWrite={mayWrite}
      others={customers}
      onRename={(next) => update({ name: next })}
      mergeHint={(into) => t.organize.customers.mergeHint(customer.deviceCount, sites, contacts.length, into)}
      onMerge={async (intoCustomerId) => {
        await api.organization.mergeCustomer({ ...at, body: { intoCustomerId } })
        await refresh()
      }}
      deleteHint={t.organize.customers.deleteHint}
      onDelete={() => remove([customer])}
    >
      <SavedField
        label={t.organize.description}
        maxLength={maxResourceText}
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
        label={t.common.note}
        maxLength={maxResourceText}
        isArea
        value={notes ?? ''}
        readOnly={!mayWrite}
        onSave={(next) => update({ notes: next || null })}
      />
      {customer.totalDevices > 0 && (
        <PaneSection title={t.history.title}>
          <FleetHistory of={{ customerId }} />
        </PaneSection>
      )}
    </ItemPane>
  )
}

/** Customers with their sites below them. */
export function CustomersTab({ tabs }: { tabs: ReactNode }) {
  const { can } = useSession()
  const mayWrite = can('tenant.customers.write')
  const { refresh, remove } = useCustomers()
  const query = useQuery({ ...organizationQueries.customers, refetchInterval: refreshMs })
  const details = useQuery({ ...organizationQueries.customerDetails, refetchInterval: refreshMs }).data
  const waiting = useWaitingDeletions()
  const all = useMemo(
    () =>
      treeOf(
        (query.data ?? []).filter(({ id }) => !waiting.has(id)),
        details ?? [],
      ),
    [query.data, details, waiting],
  )
  return (
    <ItemList
      kind="customers"
      tabs={tabs}
      query={query}
      all={all}
      columns={columns}
      icon={IconBuildingStore}
      mayWrite={mayWrite}
      maxName={maxResourceName}
      create={async (name) => {
        const made = await api.customers.create({ body: { name } })
        await refresh()
        return made
      }}
      remove={remove}
      pane={(customer, handlers) => (
        <CustomerPane {...handlers} key={customer.id} customer={customer} customers={all} mayWrite={mayWrite} />
      )}
    />
  )
}
