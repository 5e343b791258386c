import { Badge } from '@mantine/core'
import type { PersonDto } from '../../../shared/api/appliance-people.ts'
import type { ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { summaryLabel } from '../../components/rights-texts.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { stateOf, waysOf } from './person-texts.ts'
import classes from './people.module.css'

/** Badge of a person who cannot sign in as others do. */
export const StateBadge = ({ person }: { person: PersonDto }) => {
  const state = stateOf(person)
  return (
    state && (
      <Badge size="xs" variant="light" color={state === 'disabled' || state === 'locked' ? 'danger' : 'gray'}>
        {t.people[state]}
      </Badge>
    )
  )
}

export const peopleColumns = (ownId: string): readonly ListColumn<PersonDto>[] => [
  {
    id: 'name',
    label: t.people.name,
    width: 'minmax(0, 2fr)',
    narrow: 'minmax(0, 1fr)',
    cell: (person) => (
      <span className={classes.name}>
        <bdi className="truncate" title={person.email}>
          {visibleName(person.name)}
        </bdi>
        <StateBadge person={person} />
        {person.id === ownId && (
          <Badge size="xs" variant="default">
            {t.people.you}
          </Badge>
        )}
      </span>
    ),
  },
  {
    id: 'email',
    label: t.people.address,
    width: 'minmax(0, 2fr)',
    from: 900,
    cell: ({ email }) => <bdi className="muted">{visibleName(email)}</bdi>,
  },
  {
    id: 'role',
    label: t.people.role,
    width: 'minmax(0, 1.4fr)',
    narrow: 'minmax(0, 0.8fr)',
    cell: (person) => <span title={summaryLabel(person.summary)}>{summaryLabel(person.summary)}</span>,
  },
  {
    id: 'ways',
    label: t.people.signsInWith,
    width: 'minmax(0, 1.4fr)',
    from: 640,
    cell: (person) => <span title={waysOf(person)}>{waysOf(person)}</span>,
  },
  {
    id: 'seen',
    label: t.people.lastSeen,
    width: '96px',
    from: 340,
    narrow: '72px',
    cell: ({ lastSeenAt }) => (
      <span className="muted">{lastSeenAt === null ? t.people.never : <RelativeTime at={lastSeenAt} />}</span>
    ),
  },
]
