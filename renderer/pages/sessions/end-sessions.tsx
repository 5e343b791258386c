import { List, Modal, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import { api, statusOf } from '../../api/http.ts'
import { remoteSessionQueries } from '../../api/remote-session-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import type { LiveSession } from '../../hooks/use-sessions.ts'
import * as t from '../../texts.ts'
import { RequestForm } from '../../components/request-form.tsx'

interface EndSessionsProps {
  sessions: readonly LiveSession[]
  onClose: () => void
  /** Called when the closing animation has ended. */
  onClosed: () => void
  onEnded: () => void
}

const namesShown = 6

function EndForm({ sessions, onClose, onEnded }: Omit<EndSessionsProps, 'onClosed'>) {
  const [reason, setReason] = useState('')
  const [refused, setRefused] = useState(0)
  const end = useMutation({
    mutationFn: async () => {
      const endings = sessions.map(({ id }) =>
        api.sessions.end({ params: { sessionId: id }, body: { reason: reason.trim() } }),
      )
      const outcomes = await Promise.allSettled(endings)
      const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
      const unexpected = failures.find((error) => statusOf(error) !== 404)
      if (unexpected !== undefined) {
        throw unexpected
      }
      // The server also answers 404 for sessions that ended meanwhile: only those still listed were rejected.
      const left = new Set((await api.sessions.list({})).items.map(({ id }) => id))
      return sessions.filter(({ id }) => left.has(id)).length
    },
    onSuccess: (number) => {
      setRefused(number)
      onEnded()
      if (number === 0) {
        onClose()
      }
    },
    onSettled: () => invalidate(remoteSessionQueries.sessions.queryKey),
  })
  const named = sessions.slice(0, namesShown)
  return (
    <RequestForm
      submit={t.sessions.endTitle(sessions.length)}
      isDangerous
      request={end}
      onSubmit={() => end.mutate()}
      onCancel={onClose}
    >
      <List>
        {named.map(({ id, kind, deviceName, principalName }) => (
          <List.Item key={id}>
            {t.sessions.kinds[kind]} · {deviceName} · {principalName}
          </List.Item>
        ))}
        {sessions.length > named.length && <List.Item>…</List.Item>}
      </List>
      <Text c="dimmed">{t.sessions.endHint}</Text>
      <TextInput
        label={t.sessions.reason}
        description={t.sessions.reasonHint}
        maxLength={200}
        data-autofocus
        {...textProps(reason, setReason)}
      />
      {refused > 0 && <Text c="var(--danger)">{t.sessions.endFailed(refused)}</Text>}
    </RequestForm>
  )
}

/** Asks for a reason, then ends sessions on both sides. Open while `sessions` is not empty. */
export const EndSessions = ({ sessions, onClosed, ...form }: EndSessionsProps) => (
  <Modal
    opened={sessions.length > 0}
    onClose={form.onClose}
    onExitTransitionEnd={onClosed}
    title={t.sessions.endTitle(sessions.length)}
  >
    {sessions.length > 0 && <EndForm sessions={sessions} {...form} />}
  </Modal>
)
