import { Button, NativeSelect } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { PersonDto } from '../../../shared/api/appliance-people.ts'
import { api } from '../../api/http.ts'
import { peopleQueries, reloadPeople } from '../../api/people-queries.ts'
import { RowSelectionBar } from '../../components/list-kit/selection-bar.tsx'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import type { RowSelection } from '../../components/list-kit/use-row-selection.ts'
import { problemText } from '../../components/problem-alert.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'

/** Runs one request after another. Shows which people could not be changed, and why; returns the others. */
async function forEach(people: readonly PersonDto[], change: (person: PersonDto) => Promise<void>) {
  const done: PersonDto[] = []
  const failed: string[] = []
  for (const person of people) {
    try {
      await change(person)
      done.push(person)
    } catch (error) {
      failed.push(`${visibleName(person.name)}: ${problemText(error)}`)
    }
  }
  if (failed.length > 0) {
    notifications.show({
      title: t.people.failedSome(failed.length),
      message: failed.slice(0, 5).join('\n'),
      color: 'danger',
      autoClose: false,
      closeButtonProps: { 'aria-label': t.common.close },
      style: { whiteSpace: 'pre-line' },
    })
  }
  return done
}

/** Actions on the selected people. */
export function SelectedPeople({ selection }: { selection: RowSelection<PersonDto> }) {
  const { can } = useSession()
  const mayAssign = can('user-group.assign-users') && can('tenant.user-groups.read')
  const { data: groups } = useQuery({ ...peopleQueries.groups, enabled: mayAssign })
  const setState = async (people: readonly PersonDto[], action: 'disable' | 'enable') => {
    const done = await forEach(people, ({ id }) => api.people[action]({ params: { userId: id } }))
    await reloadPeople()
    return done
  }
  const change = useMutation({
    mutationFn: (action: 'disable' | 'enable') => {
      const isWanted = ({ disabledAt }: PersonDto) => (disabledAt === null) === (action === 'disable')
      return setState(selection.rows.filter(isWanted), action)
    },
    onSuccess: (done, action) => {
      selection.clear()
      if (done.length > 0) {
        const words = action === 'disable' ? t.people.bulkDisabled : t.people.bulkEnabled
        showUndo(words(done.length), () => setState(done, action === 'disable' ? 'enable' : 'disable'))
      }
    },
  })
  const add = useMutation({
    mutationFn: async ({ id: userGroupId }: { id: string; name: string }) => {
      const userIds = selection.rows.map(({ id }) => id)
      await api.userGroups.addMembers({ params: { userGroupId }, body: { userIds } })
      await reloadPeople()
      return userIds.length
    },
    onSuccess: (added, { name }) => {
      selection.clear()
      notifications.show({ message: t.people.bulkAdded(added, visibleName(name)) })
    },
    onError: (error) => notifications.show({ message: problemText(error), color: 'danger' }),
  })
  return (
    <RowSelectionBar selection={selection}>
      {(['disable', 'enable'] as const).map((action) => (
        <Button
          key={action}
          variant="default"
          size="xs"
          loading={change.isPending && change.variables === action}
          onClick={() => change.mutate(action)}
        >
          {t.people[action]}
        </Button>
      ))}
      {mayAssign && groups && groups.length > 0 && (
        <NativeSelect
          size="xs"
          w={180}
          aria-label={t.people.addToGroup}
          value=""
          disabled={add.isPending}
          data={[
            { value: '', label: `${t.people.addToGroup}…` },
            ...groups.map(({ id, name }) => ({ value: id, label: visibleName(name) })),
          ]}
          onChange={(event) => {
            const group = groups.find(({ id }) => id === event.currentTarget.value)
            if (group) {
              add.mutate(group)
            }
          }}
        />
      )}
    </RowSelectionBar>
  )
}
