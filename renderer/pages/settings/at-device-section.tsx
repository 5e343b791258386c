import { Radio, Stack } from '@mantine/core'
import { IconBell, IconBellOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { TenantSettingsDto } from '../../../shared/dtos/tenant-setting.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import classes from './settings-page.module.css'
import { useTenantSettingChange } from './use-tenant-settings.ts'

const choices = ['unset', 'true', 'false'] as const
type Choice = (typeof choices)[number]

/** The notice as it appears at a device with a session of this person. */
function Preview() {
  const { user } = useSession()
  const { data } = useQuery(accountQueries.effectivePreferences)
  const { data: preferences } = useQuery(accountQueries.preferences)
  const { data: organization } = useQuery(serverQueries.organization)
  if (!data || !organization) {
    return null
  }
  const isTold = data.notifyUserOnSessionStart
  const name = visibleName(preferences?.userDisplayName || user.userName)
  return (
    <>
      <p className="small muted">{t.settings.yourChoice(isTold)}</p>
      <div className={classes.preview} role="group" aria-label={t.settings.preview}>
        {isTold ? <IconBell size={18} stroke={1.6} aria-hidden /> : <IconBellOff size={18} stroke={1.6} aria-hidden />}
        <span>{isTold ? t.settings.previewText(name, visibleName(organization.name)) : t.settings.previewNone}</span>
        {isTold && (
          <span className={classes.previewButton} aria-hidden>
            {t.settings.previewButton}
          </span>
        )}
      </div>
    </>
  )
}

interface SectionProps {
  settings: TenantSettingsDto
  isReadOnly: boolean
}

/** Whether people at devices are notified of sessions. */
export function AtDeviceSection({ settings, isReadOnly }: SectionProps) {
  const change = useTenantSettingChange(settings)
  const stored = String(settings.notifyUserOnSessionStart ?? 'unset') as Choice
  const value = change.chosen === undefined ? stored : (change.chosen ?? 'unset')
  return (
    <section className={classes.section} id="at-device" aria-label={t.settings.atDevice}>
      <h2>{t.settings.atDevice}</h2>
      <Radio.Group
        mt="sm"
        label={t.settings.notify}
        value={value}
        onChange={(chosen) =>
          change.mutate({ member: 'notifyUserOnSessionStart', value: chosen === 'unset' ? null : chosen })
        }
      >
        <Stack gap={8} mt={6}>
          {choices.map((choice) => (
            <Radio
              key={choice}
              value={choice}
              disabled={isReadOnly}
              label={t.settings.notifyChoices[choice]}
              description={t.settings.notifyHints[choice]}
            />
          ))}
        </Stack>
      </Radio.Group>
      {change.error && <ProblemAlert error={change.error} />}
      <Preview />
    </section>
  )
}
