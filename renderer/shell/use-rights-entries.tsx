import type { SpotlightActionData } from '@mantine/spotlight'
import { IconRobot, IconShieldCheck, IconShieldPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { rightsQueries } from '../api/rights-queries.ts'
import { giveToAddress, rightsAddress, type HolderKind } from '../components/rights-links.tsx'
import { useSession } from '../hooks/use-session.ts'
import * as t from '../texts.ts'
import { visibleName } from '../text/visible-name.ts'
import { readRequest } from './palette-request.ts'

const shown = 5

const verbs = [
  { label: t.palette.rightsOf(''), name: t.palette.rightsOf, address: rightsAddress, icon: IconShieldCheck },
  { label: t.palette.giveTo(''), name: t.palette.giveTo, address: giveToAddress, icon: IconShieldPlus },
].map((verb) => ({ ...verb, label: verb.label.trim() }))

/** Entries for service accounts, and for "rights of" and "give rights to" a person, group or account. */
export function useRightsEntries(query: string): SpotlightActionData[] {
  const navigate = useNavigate()
  const { can } = useSession()
  const isOffered = can('tenant.permissions.read')
  const permitted = can('tenant.permissions.write') ? verbs : verbs.slice(0, 1)
  const request = readRequest(query, permitted)
  const { data } = useQuery({
    ...rightsQueries.find('Principal', request.searchText),
    enabled: isOffered && request.searchText !== '',
  })
  if (!isOffered || request.searchText === '') {
    return []
  }
  const found = (data ?? []).slice(0, shown)
  const about = request.verbs.flatMap(({ name, address, icon: Icon }) =>
    found.map((thing): SpotlightActionData => ({
      id: `${name('')}${thing.id}`,
      label: name(visibleName(thing.name)),
      description: t.rights.kinds[thing.kind],
      leftSection: <Icon size={18} stroke={1.6} />,
      onClick: () => void navigate(address(thing.kind as HolderKind, thing.id)),
    })),
  )
  const accounts = found
    .filter(({ kind }) => kind === 'ServiceAccount' && request.verbs.length === 0)
    .map(({ id, name }): SpotlightActionData => ({
      id: `account-${id}`,
      label: visibleName(name),
      description: t.rights.kinds['ServiceAccount'],
      leftSection: <IconRobot size={18} stroke={1.6} />,
      onClick: () => void navigate(`/service-accounts?open=${id}`),
    }))
  return [...about, ...accounts]
}
