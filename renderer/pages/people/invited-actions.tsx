import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PersonDetailDto } from '../../../shared/api/appliance-people.ts'
import { api } from '../../api/http.ts'
import { peopleQueries } from '../../api/people-queries.ts'
import { ConfirmDialog } from '../../components/list-kit/confirm-dialog.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useReloadPeople } from '../../hooks/use-reload-people.ts'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import { calendarDay } from '../../strings/format.ts'
import rows from '../../components/pane-rows.module.css'

const lifetimeMs = 7 * 24 * 60 * 60 * 1000

/** How long an invitation works, and its withdrawal. */
export function InvitedActions({ person, onGone }: { person: PersonDetailDto; onGone: () => void }) {
  const { tenantId } = useSession().user
  const reload = useReloadPeople()
  const [isAsking, setIsAsking] = useState(false)
  const { data: invites, error, refetch } = useQuery(peopleQueries.invites(tenantId))
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
        <Button variant="light" color="danger" size="xs" onClick={() => setIsAsking(true)}>
          {t.people.withdraw}
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        title={t.people.withdrawTitle(person.email)}
        confirm={t.people.withdraw}
        onConfirm={() => api.invites.delete({ tenantId, params: { inviteId: invite.id } })}
        onConfirmed={() => {
          onGone()
          void reload()
        }}
        onClose={() => setIsAsking(false)}
      >
        {t.people.withdrawHint}
      </ConfirmDialog>
    </>
  )
}
