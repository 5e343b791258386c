import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { dayMs } from '../../../shared/durations.ts'
import { isPermissionName } from '../../../shared/access.ts'
import type { PersonDetailDto } from '../../../shared/api/appliance-people.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { api } from '../../api/http.ts'
import { ConfirmDialog, AskButton } from '../../components/list-kit/dialogs.tsx'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { otherWaysOf } from './person-texts.ts'
import { ResetPassword } from './reset-password.tsx'
import rows from '../../components/pane-rows.module.css'
import { peopleQueries, reloadPeople } from '../../api/people-queries.ts'
import { calendarDay } from '../../text/format.ts'

interface DeletePersonProps {
  person: PersonDetailDto
  isOpen: boolean
  onClose: () => void
  onDeleted: () => void
}

const order = ['rights', 'groups', 'accessTokens', 'signIns', 'deviceLinks'] as const

/** Says what goes with an account, and asks for its name. */
function DeletePerson({ person, isOpen, onClose, onDeleted }: DeletePersonProps) {
  const gone = order.filter((kind) => person.goesWith[kind] > 0)
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t.people.deleteTitle(visibleName(person.name))}
      confirm={t.people.deleteConfirm}
      typedName={person.userName}
      onConfirm={() => api.users.delete({ params: { userId: person.id } })}
      onConfirmed={() => {
        onDeleted()
        void reloadPeople()
      }}
      onClose={onClose}
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
    </ConfirmDialog>
  )
}

const lifetimeMs = 7 * dayMs

/** How long an invitation works, and its withdrawal. */
function InvitedActions({ person, onGone }: { person: PersonDetailDto; onGone: () => void }) {
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
      <div className={rows.actions}>
        <AskButton
          label={t.people.withdraw}
          title={t.people.withdrawTitle(person.email)}
          button={{ variant: 'light', color: 'danger', size: 'xs' }}
          onConfirm={() => api.invites.delete({ params: { inviteId: invite.id } })}
          onConfirmed={() => {
            onGone()
            void reloadPeople()
          }}
        >
          {t.people.withdrawHint}
        </AskButton>
      </div>
    </>
  )
}

type Dialog = 'reset' | 'code' | 'ways' | 'delete'

interface PersonActionsProps {
  person: PersonDetailDto
  onGone: () => void
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
    mutationFn: () => set(!isDisabled),
    onSuccess: () =>
      showUndo(isDisabled ? t.people.enabledToast(name) : t.people.disabledToast(name), () => set(isDisabled)),
  })
  return (
    <>
      <Button variant="default" size="xs" loading={change.isPending} onClick={() => change.mutate()}>
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

/** Questions before what cannot be undone. */
function Questions({
  person,
  dialog,
  onClose,
}: {
  person: PersonDetailDto
  dialog: Dialog | undefined
  onClose: () => void
}) {
  const name = visibleName(person.name)
  const params = { userId: person.id }
  return (
    <>
      <ConfirmDialog
        isOpen={dialog === 'code'}
        title={t.people.turnOffCodeTitle(name)}
        confirm={t.people.turnOffCode}
        onConfirm={() => api.signedInEntry.disableTwoFactor({ params })}
        onConfirmed={() => void reloadPeople()}
        onClose={onClose}
      >
        {t.people.turnOffCodeHint}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'ways'}
        title={t.people.removeWaysTitle(name)}
        confirm={t.people.removeWays}
        onConfirm={() => api.people.removeOtherWaysIn({ params })}
        onConfirmed={() => void reloadPeople()}
        onClose={onClose}
      >
        {t.people.removeWaysHint(t.people.and(otherWaysOf(person)))}
      </ConfirmDialog>
    </>
  )
}

/** Buttons that change a person, or the reason why there are none. */
export function PersonActions({ person, onGone }: PersonActionsProps) {
  const { user, can } = useSession()
  const [dialog, setDialog] = useState<Dialog>()
  const { accountType, beyond, hasPassword } = person
  const isOwn = person.id === user.id
  const mayWrite = can('tenant.users.write')
  const close = () => setDialog(undefined)
  if (beyond !== null) {
    const right = isPermissionName(beyond) ? permissionTexts[beyond].displayName : beyond
    return <p className="muted">{t.people.mayNotChange(right)}</p>
  }
  if (accountType === 'Invited') {
    return mayWrite && <InvitedActions person={person} onGone={onGone} />
  }
  const isOther = mayWrite && !isOwn && accountType === 'Interactive'
  return (
    <>
      <div className={rows.actions} role="group" aria-label={t.people.actions}>
        {mayWrite && accountType === 'Interactive' && (
          <Button variant="default" size="xs" onClick={() => setDialog('reset')}>
            {t.people.resetPassword}
          </Button>
        )}
        {mayWrite && person.lockedUntil !== null && <UnlockButton person={person} />}
        {mayWrite && !isOwn && <StateButton person={person} />}
        {isOther && person.isTwoFactorEnabled && (
          <Button variant="default" size="xs" onClick={() => setDialog('code')}>
            {t.people.turnOffCode}
          </Button>
        )}
        {isOther && hasPassword && otherWaysOf(person).length > 0 && (
          <Button variant="default" size="xs" onClick={() => setDialog('ways')}>
            {t.people.removeWays}
          </Button>
        )}
        {can('tenant.users.delete') && !isOwn && (
          <Button variant="light" color="danger" size="xs" onClick={() => setDialog('delete')}>
            {t.common.delete}
          </Button>
        )}
      </div>
      <ResetPassword person={person} isOpen={dialog === 'reset'} onClose={close} />
      <Questions person={person} dialog={dialog} onClose={close} />
      <DeletePerson person={person} isOpen={dialog === 'delete'} onClose={close} onDeleted={onGone} />
    </>
  )
}
