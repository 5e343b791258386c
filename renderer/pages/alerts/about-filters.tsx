import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { alertQueries } from '../../api/alert-queries.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { textProps } from '../../components/field-props.ts'
import { useSession } from '../../hooks/use-session.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'

interface FilterProps {
  label: string
  all: string
  options: readonly { id: string; name: string }[]
  value: string
  onChange: (id: string) => void
}

/** Select of a thing, or all of them; nothing where there is no choice. */
const Filter = ({ label, all, options, value, onChange }: FilterProps) =>
  (options.length > 0 || value !== '') && (
    <NativeSelect
      w={170}
      aria-label={label}
      data={[
        { value: '', label: all },
        ...options.map(({ id, name }) => ({ value: id, label: visibleName(name) })),
        // A thing that is gone, or that the person may not see.
        ...(value !== '' && options.every(({ id }) => id !== value) ? [{ value, label: '…' }] : []),
      ]}
      {...textProps(value, onChange)}
    />
  )

interface AboutFiltersProps {
  /** Id of the rule and of the customer; empty for all. */
  rule: string
  customer: string
  onChange: (changes: { rule: string } | { customer: string }) => void
}

/** Filters of alerts by their rule and by the customer of their devices, for people who may see these. */
export function AboutFilters({ rule, customer, onChange }: AboutFiltersProps) {
  const { can } = useSession()
  const rules = useQuery({ ...alertQueries.rules, enabled: can('tenant.settings.read') })
  const customers = useQuery({ ...organizationQueries.customers, enabled: can('tenant.customers.read') })
  return (
    <>
      <Filter
        label={t.alertPages.ofRule}
        all={t.alertPages.allRules}
        options={rules.data?.items ?? []}
        value={rule}
        onChange={(id) => onChange({ rule: id })}
      />
      <Filter
        label={t.alertPages.ofCustomer}
        all={t.alertPages.allCustomers}
        options={customers.data ?? []}
        value={customer}
        onChange={(id) => onChange({ customer: id })}
      />
    </>
  )
}
