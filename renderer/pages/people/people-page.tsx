import { Button, Group } from '@mantine/core'
import { IconUserPlus, IconUsers } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { peopleFilters, type PeopleFilter } from '../../../shared/api/appliance-people.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { api } from '../../api/http.ts'
import { peopleQueries } from '../../api/people-queries.ts'
import { Chip } from '../../components/list-kit/chip.tsx'
import { FilterChips } from '../../components/list-kit/filter-chips.tsx'
import { usePagedList } from '../../components/list-kit/list-data.ts'
import { ListPage, ListView } from '../../components/list-kit/list-page.tsx'
import { SearchField } from '../../components/list-kit/search-field.tsx'
import { useListAddress } from '../../components/list-kit/use-list-address.ts'
import { useRowSelection } from '../../components/list-kit/use-row-selection.ts'
import { pageWithRight } from '../../components/no-right.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { NewPeople, type NewPeopleDialog } from './new-people.tsx'
import { peopleColumns } from './people-columns.tsx'
import { PersonPane } from './person-pane.tsx'
import { SelectedPeople } from './selected-people.tsx'

const isFilter = (text: string): text is PeopleFilter => (peopleFilters as readonly string[]).includes(text)
const noFilters = { q: '', show: '', group: '' }

/** People that match the filters of the address. */
function usePeople({ q, show, group }: typeof noFilters) {
  const query = {
    ...(q && { text: q.slice(0, 128) }),
    ...(isFilter(show) && { show }),
    ...(group && { groupId: group }),
  }
  return usePagedList(['people', 'list', query], (skip, signal) =>
    api.people.list({ query: { ...query, skip } }, signal),
  )
}

/** Chip of the group whose members are shown; a click removes it. */
function GroupChip({ groupId, onClear }: { groupId: string; onClear: () => void }) {
  const { data: groups } = useQuery(peopleQueries.groups)
  const name = groups?.find(({ id }) => id === groupId)?.name ?? ''
  return (
    <Chip isOn onClick={onClear}>
      {t.people.inGroup(visibleName(name))}
    </Chip>
  )
}

function People() {
  const { user, can } = useSession()
  const [address, change, list] = useListAddress(['q', 'show', 'group'], ['new'])
  const setDialog = (dialog: NewPeopleDialog | '') => change({ new: dialog })
  const data = usePeople(address)
  const selection = useRowSelection(data.rows, ({ name }) => name)
  const columns = useMemo(() => peopleColumns(user.id), [user.id])
  const mayWrite = can('tenant.users.write')
  const counts = data.lastPage?.counts
  const actions = mayWrite && (
    <Group gap="xs">
      <Button variant="default" onClick={() => setDialog('create')}>
        {t.people.create}
      </Button>
      <Button leftSection={<IconUserPlus size={16} />} onClick={() => setDialog('invite')}>
        {t.people.invite}
      </Button>
    </Group>
  )
  return (
    <ListPage
      list={list}
      title={t.people.title}
      intro={mayWrite ? t.people.intro : t.people.needs(permissionTexts['tenant.users.write'].displayName)}
      action={actions}
      filters={
        <>
          <SearchField label={t.people.search} text={address.q} onChange={(q) => change({ q })} />
          <FilterChips
            label={t.people.filters}
            chips={peopleFilters.map((value) => ({ value, label: t.people.show[value], count: counts?.[value] }))}
            value={address.show}
            onChange={(show) => change({ show })}
          />
          {address.group && <GroupChip groupId={address.group} onClear={() => change({ group: '' })} />}
        </>
      }
      shown={data.total === undefined ? '' : t.people.shown(data.total)}
      pane={address.open && <PersonPane userId={address.open} onClose={() => change({ open: '' })} />}
    >
      <ListView
        list={list}
        label={t.people.list}
        data={data}
        columns={columns}
        selection={mayWrite ? selection : undefined}
        isMuted={({ disabledAt }) => disabledAt !== null}
        empty={{ icon: IconUsers, title: t.people.emptyTitle, hint: t.people.emptyHint, action: actions }}
      />
      {mayWrite && <SelectedPeople selection={selection} />}
      <NewPeople
        dialog={mayWrite ? address.new : ''}
        onClose={() => setDialog('')}
        onCreated={(userId) => change({ ...noFilters, open: userId })}
      />
    </ListPage>
  )
}

/** People of the organization. */
export const Component = pageWithRight(t.people.title, ['tenant.users.read'], People)
