import { fold } from '../../shared/fold.ts'
import type { SpotlightActionData } from '@mantine/spotlight'
import { IconBoxMultiple, IconBuildingStore, IconTag, type Icon } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { formatQuery, type QueryField } from '../../shared/device-query.ts'
import { organizationQueries } from '../api/organization-queries.ts'
import { useSession } from '../hooks/use-session.ts'
import * as t from '../texts.ts'

const shownOfEach = 4

interface Named {
  id: string
  name: string
}

/** Entries for customers, device groups and tags whose name contains the query; each opens its devices. */
export function useOrganizationEntries(query: string, isOpen: boolean): SpotlightActionData[] {
  const navigate = useNavigate()
  const { can } = useSession()
  const wanted = fold(query.trim())
  const enabled = isOpen && wanted !== ''
  const customers = useQuery({
    ...organizationQueries.customers,
    enabled: enabled && can('tenant.customers.read'),
    staleTime: 30_000,
  }).data
  const groups = useQuery({
    ...organizationQueries.deviceGroups,
    enabled: enabled && can('tenant.device-groups.read'),
    staleTime: 30_000,
  }).data
  const tags = useQuery({ ...organizationQueries.tagOverview, enabled, staleTime: 30_000 }).data
  if (!enabled) {
    return []
  }
  const entries = (field: QueryField, kind: string, Sign: Icon, things: readonly Named[] | undefined) =>
    (things ?? [])
      .filter(({ name }) => fold(name).includes(wanted))
      .slice(0, shownOfEach)
      .map(({ id, name }): SpotlightActionData => ({
        id: `organize-${id}`,
        label: name,
        description: kind,
        leftSection: <Sign size={18} stroke={1.6} />,
        onClick: () => {
          const q = formatQuery({ text: '', terms: [{ field, values: [name], isExcluded: false }] })
          void navigate(`/devices?${new URLSearchParams({ q }).toString()}`)
        },
      }))
  return [
    ...entries('customer', t.devices.fields.customer, IconBuildingStore, customers),
    ...entries('group', t.devices.fields.group, IconBoxMultiple, groups),
    ...entries('tag', t.devices.fields.tag, IconTag, tags),
  ]
}
