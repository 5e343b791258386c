import { fold } from '../../shared/fold.ts'
import type { SpotlightActionData } from '@mantine/spotlight'
import { IconUser, IconUsersGroup } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { peopleQueries } from '../api/people-queries.ts'
import { useSession } from '../hooks/use-session.ts'
import { visibleName } from '../text/visible-name.ts'

const shown = 5

/** Entries for matching people and groups of people, for those who may see them. */
export function usePeopleEntries(query: string): SpotlightActionData[] {
  const navigate = useNavigate()
  const { can } = useSession()
  const text = query.trim()
  const { data: people } = useQuery({
    ...peopleQueries.find(text, shown),
    enabled: text !== '' && can('tenant.users.read'),
  })
  const { data: groups } = useQuery({
    ...peopleQueries.groups,
    enabled: text !== '' && can('tenant.user-groups.read'),
  })
  if (text === '') {
    return []
  }
  const matching = groups?.filter(({ name }) => fold(name).includes(fold(text))).slice(0, shown)
  return [
    ...(people?.items ?? []).map(({ id, name, email }) => ({
      id: `person-${id}`,
      label: visibleName(name),
      description: visibleName(email),
      leftSection: <IconUser size={18} stroke={1.6} />,
      onClick: () => void navigate(`/people?open=${id}`),
    })),
    ...(matching ?? []).map(({ id, name, description }) => ({
      id: `group-${id}`,
      label: visibleName(name),
      description: visibleName(description ?? ''),
      leftSection: <IconUsersGroup size={18} stroke={1.6} />,
      onClick: () => void navigate(`/user-groups?open=${id}`),
    })),
  ]
}
