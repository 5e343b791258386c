import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { dayMs } from '../../../shared/durations.ts'
import { isPermissionName } from '../../../shared/access.ts'
import type { PersonDetailDto } from '../../../shared/api/appliance-people.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { api } from '../../api/http.ts'
import { AskButton } from '../../components/list-kit/dialogs.tsx'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { otherWaysOf } from './person-texts.ts'
import { ResetPassword } from './reset-password.tsx'
import { peopleQueries, reloadPeople } from '../../api/people-queries.ts'
import { calendarDay } from '../../text/format.ts'

interface PersonActionsProps {
  person: PersonDetailDto
  onGone: () => void
}

const dangerous = { variant: 'light', color: 'danger', size: 'xs' } as const

const order = ['rights', 'groups', 'accessTokens', 'signIns', 'deviceLinks'] as const

/** Says what goes with an account, and asks for its name. */
function DeletePerson({ person, onGone }: PersonActionsProps) {
  const gone = order.filter((kind) => person.goesWith[kind] > 0)
  return (
    <AskButton
      label={t.common.delete}
      title={t.people.deleteTitle(visibleName(person.name))}
      confirm={t.people.deleteConfirm}
      typedName={person.userName}
      button={dangerous}
      onConfirm={() => api.users.delete({ params: { userId: person.id } })}
      onConfirmed={() => {
        onGone()
        void reloadPeople()
      }}
    >
      <p>{t.people.deleteHint}</p>
      {gone.length === 0 ? (
        <p>{t.people.goesNothing}</p>
      ) : (
        <>
          <p>{t.people.goesWith}</p>
          <ul className="bullets">
            {gone.map((kind) => (
              <li key={kind}>{t.people.goes[kind](person.goesWith[kind])}</li>
            ))}
          </ul>
        </>
      )}
    </AskButton>
  )
}

const lifetimeMs = 7 * dayMs

/** How long an invitation works, and its withdrawal. */
function InvitedActions({ person, onGone }: PersonActionsProps) {
  const { data: invites, error, refetch } = useQuery(peopleQueries.invites)
  const invite = invites?.find(({ inviteeEmail }) => inviteeEmail === person.email)
  if (error && !invites) {
    return <ProblemAlert error={error} onRetry={() => void refetch()} />
  }
  if (!invite) {
    return null
  }
  const until = Date.parse(invite.createdAt) + lifetimeMs
  return (
    <>
      <p role="status">{until > Date.now() ? t.people.invitationUntil(calendarDay(until)) : t.people.invitationOver}</p>
      <Group gap={8} my={8}>
        <AskButton
          label={t.people.withdraw}
          title={t.people.withdrawTitle(person.email)}
          button={dangerous}
          onConfirm={() => api.invites.delete({ params: { inviteId: invite.id } })}
          onConfirmed={() => {
            onGone()
            void reloadPeople()
          }}
        >
          {t.people.withdrawHint}
        </AskButton>
      </Group>
    </>
  )
}

/** Disables or enables at once, and offers to undo it. */
function StateButton({ person }: { person: PersonDetailDto }) {
  const name = visibleName(person.name)
  const isDisabled = person.disabledAt !== null
  const set = async (disable: boolean) => {
    await api.people[disable ? 'disable' : 'enable']({ params: { userId: person.id } })
    await reloadPeople()
  }
  const change = useMutation({
    mutationFn: set,
    // `person` may have changed by then.
    onSuccess: (_, disable) =>
      showUndo(disable ? t.people.disabledToast(name) : t.people.enabledToast(name), () => set(!disable)),
  })
  return (
    <>
      <Button variant="default" size="xs" loading={change.isPending} onClick={() => change.mutate(!isDisabled)}>
        {isDisabled ? t.people.enable : t.people.disable}
      </Button>
      {change.error && <ProblemAlert error={change.error} />}
    </>
  )
}

/** Ends the lock after wrong passwords or codes. */
function UnlockButton({ person }: { person: PersonDetailDto }) {
  const unlock = useMutation({
    mutationFn: () => api.people.unlock({ params: { userId: person.id } }),
    onSuccess: async () => {
      await reloadPeople()
      notifications.show({ message: t.people.unlocked(visibleName(person.name)) })
    },
  })
  return (
    <>
      <Button variant="default" size="xs" loading={unlock.isPending} onClick={() => unlock.mutate()}>
        {t.people.unlock}
      </Button>
      {unlock.error && <ProblemAlert error={unlock.error} />}
    </>
  )
}

/** Buttons that change a person, or the reason why there are none. */
export function PersonActions({ person, onGone }: PersonActionsProps) {
  const { user, can } = useSession()
  const { accountType, beyond, hasPassword } = person
  const isOwn = person.id === user.id
  const mayWrite = can('tenant.users.write')
  if (beyond !== null) {
    const right = isPermissionName(beyond) ? permissionTexts[beyond].displayName : beyond
    return <p className="muted">{t.people.mayNotChange(right)}</p>
  }
  if (accountType === 'Invited') {
    return mayWrite && <InvitedActions person={person} onGone={onGone} />
  }
  const isOther = mayWrite && !isOwn && accountType === 'Interactive'
  const name = visibleName(person.name)
  const params = { userId: person.id }
  return (
    <Group gap={8} my={8} role="group" aria-label={t.people.actions}>
      {mayWrite && accountType === 'Interactive' && <ResetPassword person={person} />}
      {mayWrite && person.lockedUntil !== null && <UnlockButton person={person} />}
      {mayWrite && !isOwn && <StateButton person={person} />}
      {isOther && person.isTwoFactorEnabled && (
        <AskButton
          label={t.people.turnOffCode}
          title={t.people.turnOffCodeTitle(name)}
          button={{ size: 'xs' }}
          onConfirm={() => api.signedInEntry.disableTwoFactor({ params })}
          onConfirmed={() => void reloadPeople()}
        >
          {t.people.turnOffCodeHint}
        </AskButton>
      )}
      {isOther && hasPassword && otherWaysOf(person).length > 0 && (
        <AskButton
          label={t.people.removeWays}
          title={t.people.removeWaysTitle(name)}
          button={{ size: 'xs' }}
          onConfirm={() => api.people.removeOtherWaysIn({ params })}
          onConfirmed={() => void reloadPeople()}
        >
          {t.people.removeWaysHint(t.people.and(otherWaysOf(person)))}
        </AskButton>
      )}
      {can('tenant.users.delete') && !isOwn && <DeletePerson person={person} onGone={onGone} />}
    </Group>
  )
}
