import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { UserGroupDetailResponseDto } from '../../../shared/dtos/user-group.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { api } from '../../api/http.ts'
import { peopleQueries, reloadPeople } from '../../api/people-queries.ts'
import { HeldRights } from '../../components/held-rights.tsx'
import { AskButton, FormButton } from '../../components/list-kit/dialogs.tsx'
import { PaneSection, SidePane } from '../../components/list-kit/side-pane.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RightsLinks } from '../../components/rights-links.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { GroupForm } from './group-form.tsx'
import { GroupMembers } from './group-members.tsx'
import { QueryState } from '../../components/query-state.tsx'

interface GroupProps {
  group: UserGroupDetailResponseDto
  onGone: () => void
}

function Actions({ group, onGone }: GroupProps) {
  const { data: rights } = useQuery(peopleQueries.groupRights(group.id))
  const name = visibleName(group.name)
  return (
    <Group gap={8} my={8} role="group" aria-label={t.people.actions}>
      <FormButton label={t.userGroups.edit} title={t.userGroups.editTitle} button={{ size: 'xs' }}>
        {(close) => <GroupForm group={group} onCancel={close} onSaved={close} />}
      </FormButton>
      <AskButton
        label={t.userGroups.delete}
        title={t.userGroups.deleteTitle(name)}
        button={{ variant: 'light', color: 'danger', size: 'xs' }}
        confirm={t.userGroups.deleteConfirm}
        typedName={group.name}
        onConfirm={() => api.userGroups.delete({ params: { userGroupId: group.id } })}
        onConfirmed={() => {
          onGone()
          void reloadPeople()
        }}
      >
        {t.userGroups.deleteHint(group.members.length, rights?.length ?? 0)}
      </AskButton>
    </Group>
  )
}

function Rights({ groupId }: { groupId: string }) {
  const { data: rights, error, refetch } = useQuery(peopleQueries.groupRights(groupId))
  return (
    <PaneSection title={t.userGroups.gives}>
      {error && rights === undefined && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {rights === null && (
        <p className="muted">{t.people.rightsHidden(permissionTexts['tenant.permissions.read'].displayName)}</p>
      )}
      {rights?.length === 0 && <p className="muted">{t.userGroups.givesNothing}</p>}
      {rights && rights.length > 0 && <HeldRights rights={rights} label={t.userGroups.gives} />}
      <RightsLinks kind="UserGroup" id={groupId} />
    </PaneSection>
  )
}

/** Side pane of a group: its rights and its members. */
export function GroupPane({ groupId, onClose }: { groupId: string; onClose: () => void }) {
  const { can } = useSession()
  const query = useQuery(peopleQueries.group(groupId))
  const { data: group } = query
  return (
    <SidePane title={group ? visibleName(group.name) : ''} label={t.userGroups.title} onClose={onClose}>
      {group ? (
        <div key={group.id}>
          {group.description && <p>{visibleName(group.description)}</p>}
          {can('tenant.user-groups.write') && <Actions group={group} onGone={onClose} />}
          <Rights groupId={group.id} />
          <GroupMembers group={group} />
        </div>
      ) : (
        <QueryState query={query} height={240} />
      )}
    </SidePane>
  )
}
