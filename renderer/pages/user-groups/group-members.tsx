import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TextLink } from '../../components/links.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { textProps } from '../../components/field-props.ts'
import type { UserGroupDetailResponseDto } from '../../../shared/dtos/user-group.ts'
import { api } from '../../api/http.ts'
import { peopleQueries, reloadPeople } from '../../api/people-queries.ts'
import { PaneSection } from '../../components/list-kit/side-pane.tsx'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import rows from '../../components/pane-rows.module.css'

const typingMs = 150
const offered = 8
/** Members in the pane; the others are one click away, in the list of people. */
const shownMembers = 100

interface Person {
  id: string
  name: string
}

/** Adds to and removes from a group, and offers to undo it. */
function useMembership(userGroupId: string) {
  const set = async ({ id }: Person, isMember: boolean) => {
    const request = { params: { userGroupId }, body: { userIds: [id] } }
    await (isMember ? api.userGroups.addMembers(request) : api.userGroups.removeMembers(request))
    await reloadPeople()
  }
  return useMutation({
    mutationFn: ({ person, isMember }: { person: Person; isMember: boolean }) => set(person, isMember),
    onSuccess: (_, { person, isMember }) =>
      showUndo((isMember ? t.userGroups.added : t.userGroups.removed)(person.name), () => set(person, !isMember)),
  })
}

/** Field that finds people to add. */
function AddPeople({ members, onAdd }: { members: ReadonlySet<string>; onAdd: (person: Person) => void }) {
  const [text, setText] = useState('')
  const [settled] = useDebouncedValue(text.trim(), typingMs)
  const { data } = useQuery({ ...peopleQueries.find(settled, offered * 2), enabled: settled !== '' })
  const isSettled = settled === text.trim()
  const found = data?.items.filter(({ id }) => !members.has(id)).slice(0, offered) ?? []
  return (
    <>
      <TextInput
        type="search"
        role="searchbox"
        aria-label={t.userGroups.addMember}
        placeholder={`${t.userGroups.addMember}: ${t.userGroups.findPerson.toLowerCase()}`}
        {...textProps(text, setText)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && text) {
            event.preventDefault()
            setText('')
          }
        }}
      />
      {settled !== '' && isSettled && data && found.length === 0 && <p className="muted">{t.userGroups.nobodyFound}</p>}
      {settled !== '' && isSettled && found.length > 0 && (
        <ul className={rows.list} aria-label={t.userGroups.addMember}>
          {found.map(({ id, name: shown, email }) => {
            const name = visibleName(shown)
            return (
              <li key={id} className={rows.row}>
                <span className={rows.text}>
                  <bdi>{name}</bdi>
                  <bdi className="small muted">{visibleName(email)}</bdi>
                </span>
                <Button
                  variant="default"
                  size="xs"
                  aria-label={t.userGroups.addOne(name)}
                  onClick={() => onAdd({ id, name })}
                >
                  {t.userGroups.add}
                </Button>
              </li>
            )
          })}
        </ul>
      )}
    </>
  )
}

/** Members of a group, with what adds and removes people. */
export function GroupMembers({ group: { id, members } }: { group: UserGroupDetailResponseDto }) {
  const { can } = useSession()
  const mayAssign = can('user-group.assign-users')
  const mayFind = can('tenant.users.read')
  const change = useMembership(id)
  return (
    <PaneSection title={`${t.userGroups.members} (${members.length.toLocaleString()})`}>
      {mayAssign && mayFind && (
        <AddPeople
          members={new Set(members.map(({ userId }) => userId))}
          onAdd={(person) => change.mutate({ person, isMember: true })}
        />
      )}
      {change.error && <ProblemAlert error={change.error} />}
      {members.length === 0 && <p className="muted">{t.userGroups.noMembers}</p>}
      <ul className={rows.list} aria-label={t.userGroups.members}>
        {members.slice(0, shownMembers).map(({ userId, userName, displayName }) => {
          const name = visibleName(displayName || userName)
          return (
            <li key={userId} className={rows.row}>
              {mayFind ? (
                <TextLink to={`/people?open=${userId}`} className={rows.text}>
                  <bdi>{name}</bdi>
                  {displayName && <bdi className="small muted">{visibleName(userName)}</bdi>}
                </TextLink>
              ) : (
                <bdi className={rows.text}>{name}</bdi>
              )}
              {mayAssign && (
                <IconButton
                  label={t.userGroups.removeMember(name)}
                  icon={<IconX size={16} />}
                  size="sm"
                  onClick={() => change.mutate({ person: { id: userId, name }, isMember: false })}
                />
              )}
            </li>
          )
        })}
      </ul>
      {mayFind && members.length > 0 && <TextLink to={`/people?group=${id}`}>{t.userGroups.showMembers}</TextLink>}
    </PaneSection>
  )
}
