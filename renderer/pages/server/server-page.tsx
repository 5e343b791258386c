import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { serverQueries } from '../../api/server-queries.ts'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useAskedSection } from '../../hooks/use-asked-section.ts'
import { NoRight } from '../../components/no-right.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import { DashboardSection } from './dashboard-section.tsx'
import { LogSection } from './log-section.tsx'
import { NoticeSection } from './notice-section.tsx'
import classes from './server-page.module.css'
import { SettingsForm } from './settings-form.tsx'
import { SettingsTable } from './settings-table.tsx'
import { StateSection } from './state-section.tsx'
import { VersionSection } from './version-section.tsx'
import { api } from '../../api/http.ts'
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
function MailSection() {
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

/** Settings of the server; each part saves by itself. */
function Settings() {
  const query = useQuery(serverQueries.serverSettings)
  if (!query.data) {
    return (
      <div className={classes.wide}>
        <QueryState query={query} height={320} />
      </div>
    )
  }
  return (
    <>
      <div className={classes.stack}>
        <NoticeSection />
        <SettingsForm group="limits" title={t.server.limits} hint={t.server.limitsHint} />
      </div>
      <div className={classes.stack}>
        <MailSection />
        <SettingsForm group="updates" title={t.updates.settings} hint={t.updates.settingsHint} />
        <SettingsForm group="people" title={t.server.people} hint={t.server.peopleHint} />
        <DashboardSection />
      </div>
      <SettingsTable />
    </>
  )
}

/** Page about the server: its state for readers of the telemetry, its settings for those who may change them. */
export function Component() {
  usePageTitle(t.server.title)
  useAskedSection()
  const { can } = useSession()
  const mayRead = can('server.telemetry.read')
  const mayChange = can('server.settings.write')
  return (
    <>
      <PageHead title={t.server.title} intro={t.server.intro} />
      {mayRead || mayChange ? (
        <div className={classes.content}>
          {mayRead && <VersionSection />}
          {mayRead && <StateSection />}
          {mayChange && <Settings />}
          {mayRead && <LogSection />}
        </div>
      ) : (
        <NoRight page={t.server.title} rights={['server.telemetry.read', 'server.settings.write']} />
      )}
    </>
  )
}
