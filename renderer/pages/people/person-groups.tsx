import { NativeSelect } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { TextLink } from '../../components/links.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import type { PersonDetailDto } from '../../../shared/api/appliance-people.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { api } from '../../api/http.ts'
import { peopleQueries, reloadPeople } from '../../api/people-queries.ts'
import { PaneSection } from '../../components/list-kit/side-pane.tsx'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import rows from '../../components/pane-rows.module.css'

interface Group {
  id: string
  name: string
}

/** Groups of a person, with what adds to and removes from one. */
export function PersonGroups({ person }: { person: PersonDetailDto }) {
  const { can } = useSession()
  const mayAssign = can('user-group.assign-users')
  const { data: groups } = useQuery({ ...peopleQueries.groups, enabled: can('tenant.user-groups.read') })
  const name = visibleName(person.name)
  const set = async ({ id: userGroupId }: Group, isMember: boolean) => {
    const request = { params: { userGroupId }, body: { userIds: [person.id] } }
    await (isMember ? api.userGroups.addMembers(request) : api.userGroups.removeMembers(request))
    await reloadPeople()
  }
  const change = useMutation({
    mutationFn: ({ group, isMember }: { group: Group; isMember: boolean }) => set(group, isMember),
    onSuccess: (_, { group, isMember }) =>
      showUndo((isMember ? t.people.addedToGroup : t.people.removedFromGroup)(name, visibleName(group.name)), () =>
        set(group, !isMember),
      ),
  })
  if (person.groups === null) {
    return (
      <PaneSection title={t.people.groups}>
        <p className="muted">{t.people.groupsHidden(permissionTexts['tenant.user-groups.read'].displayName)}</p>
      </PaneSection>
    )
  }
  const own = new Set(person.groups.map(({ id }) => id))
  const others = groups?.filter(({ id }) => !own.has(id)) ?? []
  return (
    <PaneSection title={t.people.groups}>
      {person.groups.length === 0 && <p className="muted">{t.people.noGroups}</p>}
      <ul className={rows.list} aria-label={t.people.groups}>
        {person.groups.map((group) => (
          <li key={group.id} className={rows.row}>
            <TextLink to={`/user-groups?open=${group.id}`} className={rows.text}>
              <bdi>{visibleName(group.name)}</bdi>
            </TextLink>
            {mayAssign && (
              <IconButton
                label={t.people.removeFromGroup(group.name)}
                icon={<IconX size={16} />}
                size="sm"
                onClick={() => change.mutate({ group, isMember: false })}
              />
            )}
          </li>
        ))}
      </ul>
      {mayAssign && others.length > 0 && (
        <NativeSelect
          size="xs"
          maw={280}
          aria-label={t.people.addToGroup}
          value=""
          data={[
            { value: '', label: `${t.people.addToGroup}…` },
            ...others.map(({ id, name: label }) => ({ value: id, label: visibleName(label) })),
          ]}
          onChange={(event) => {
            const group = others.find(({ id }) => id === event.currentTarget.value)
            if (group) {
              change.mutate({ group, isMember: true })
            }
          }}
        />
      )}
      {change.error && <ProblemAlert error={change.error} />}
    </PaneSection>
  )
}
