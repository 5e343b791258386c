import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api } from '../../api/http.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { SettingsForm } from './settings-form.tsx'
import { useSettingGroup, type Draft } from './use-server-settings.ts'

const secret = 'AppOptions__SmtpPassword'
/** Settings that decide where the password is sent. */
const place = ['AppOptions__SmtpHost', 'AppOptions__SmtpPort', 'AppOptions__SmtpUserName']

function TestMail() {
  const { user } = useSession()
  const test = useMutation({ mutationFn: () => api.testEmail.send({}) })
  return (
    <>
      <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        {t.server.test}
      </Button>
      <div role="status" style={{ flexBasis: '100%', overflowWrap: 'anywhere' }}>
        {test.isSuccess && t.server.tested(user.email)}
      </div>
      {test.error && (
        <div style={{ flexBasis: '100%' }}>
          <ProblemAlert error={test.error} />
        </div>
      )}
    </>
  )
}

/** Mail server and sender, with a test mail. */
export function MailSection() {
  const { can } = useSession()
  const settings = useSettingGroup('mail')
  const { data: state } = useQuery({ ...serverQueries.serverState, enabled: can('server.telemetry.read') })
  const mayChange = can('server.permissions.write')
  const hasPassword = settings.some(({ key, source }) => key === secret && source === 'stored')
  const noteFor = (draft: Draft) =>
    hasPassword && draft[secret] === undefined && place.some((key) => key in draft) ? t.server.passwordAgain : undefined
  const isOn = state && (state.isMailOn ? t.server.mailOn : t.server.mailOff)
  return (
    <SettingsForm
      group="mail"
      title={t.server.mail}
      hint={[t.server.mailHint, t.server.encrypted, isOn, !mayChange && t.server.mailRight].filter(Boolean).join(' ')}
      isDisabled={!mayChange}
      noteFor={noteFor}
    >
      <TestMail />
    </SettingsForm>
  )
}
