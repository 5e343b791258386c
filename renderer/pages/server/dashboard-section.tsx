import { Button } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { serverQueries } from '../../api/server-queries.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { SettingsForm } from './settings-form.tsx'

/** Whether an address may be a link: the server checks stored ones, and a file can name anything. */
const isWebAddress = (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? '')

/** Opens the telemetry dashboard; nothing without one. */
export function DashboardLink() {
  const { data } = useQuery(serverQueries.dashboard)
  const url = data?.aspireUrl
  return url && isWebAddress(url) ? (
    <Button
      component="a"
      href={url}
      target="_blank"
      rel="noreferrer"
      variant="default"
      leftSection={<IconExternalLink size={16} stroke={1.6} />}
    >
      {t.server.openDashboard}
    </Button>
  ) : null
}

export function DashboardSection() {
  const { can } = useSession()
  return (
    <SettingsForm group="dashboard" title={t.server.dashboard} hint={t.server.dashboardHint}>
      {can('server.telemetry.read') && <DashboardLink />}
    </SettingsForm>
  )
}
