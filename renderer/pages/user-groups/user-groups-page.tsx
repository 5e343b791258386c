import { fold } from '../../../shared/fold.ts'
import { Button, Modal } from '@mantine/core'
import { IconPlus, IconUsersGroup } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { UserGroupResponseDto } from '../../../shared/dtos/user-group.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { peopleQueries } from '../../api/people-queries.ts'
import { wholeList } from '../../components/list-kit/list-data.ts'
import { ListPage, ListView } from '../../components/list-kit/list-page.tsx'
import { SearchField } from '../../components/list-kit/search-field.tsx'
import { useListAddress } from '../../components/list-kit/use-list-address.ts'
import type { ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { pageWithRight } from '../../components/no-right.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { calendarDay } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import { GroupForm } from './group-form.tsx'
import { GroupPane } from './group-pane.tsx'

const columns: readonly ListColumn<UserGroupResponseDto>[] = [
  {
    id: 'name',
    label: t.userGroups.name,
    width: 'minmax(0, 1fr)',
    cell: ({ name }) => <bdi>{visibleName(name)}</bdi>,
  },
  {
    id: 'description',
    label: t.userGroups.description,
    width: 'minmax(0, 2fr)',
    from: 640,
    cell: ({ description }) => <bdi className="muted">{visibleName(description ?? '')}</bdi>,
  },
  {
    id: 'members',
    label: t.userGroups.members,
    width: '88px',
    narrow: '72px',
    cell: ({ memberCount }) => <span className="tabular">{memberCount.toLocaleString()}</span>,
  },
  {
    id: 'created',
    label: t.userGroups.created,
    width: '112px',
    from: 800,
    cell: ({ createdAt }) => <span className="muted">{calendarDay(Date.parse(createdAt))}</span>,
  },
]

const hasText = ({ name, description }: UserGroupResponseDto, text: string) =>
  fold(`${name}\n${description ?? ''}`).includes(fold(text))

function Groups() {
  const { can } = useSession()
  const [address, change, list] = useListAddress(['q'], ['new'])
  const setIsMaking = (isMaking: boolean) => change({ new: isMaking ? 'group' : '' })
  const query = useQuery(peopleQueries.groups)
  const data = wholeList(query, query.data?.filter((group) => hasText(group, address.q)) ?? [])
  const mayWrite = can('tenant.user-groups.write')
  const action = mayWrite && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setIsMaking(true)}>
      {t.userGroups.create}
    </Button>
  )
  return (
    <ListPage
      list={list}
      title={t.userGroups.title}
      intro={
        mayWrite ? t.userGroups.intro : t.userGroups.needs(permissionTexts['tenant.user-groups.write'].displayName)
      }
      action={action}
      filters={<SearchField label={t.userGroups.search} text={address.q} onChange={(q) => change({ q })} />}
      shown={query.data?.length ? t.userGroups.shown(data.rows.length) : ''}
      pane={address.open && <GroupPane groupId={address.open} onClose={() => change({ open: '' })} />}
    >
      <ListView
        list={list}
        label={t.userGroups.list}
        data={data}
        columns={columns}
        empty={{
          icon: IconUsersGroup,
          title: t.userGroups.emptyTitle,
          hint: mayWrite ? t.userGroups.emptyHint : t.userGroups.emptyReader,
          action,
        }}
      />
      <Modal
        opened={mayWrite && address.new !== ''}
        onClose={() => setIsMaking(false)}
        title={t.userGroups.createTitle}
      >
        <GroupForm
          onCancel={() => setIsMaking(false)}
          onSaved={({ id }) => {
            change({ q: '', new: '', open: id })
          }}
        />
      </Modal>
    </ListPage>
  )
}

/** Groups of people who share rights. */
export const Component = pageWithRight(t.userGroups.title, ['tenant.user-groups.read'], Groups)
