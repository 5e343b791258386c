import { PageTabs } from '../../components/page-tabs.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'

/** Parts of the settings of the organization that the person may open. */
export function SettingsTabs() {
  const { can } = useSession()
  const changing = [
    { path: '/settings/recording', label: t.recordingPolicies.title },
    { path: '/settings/webhooks', label: t.webhooks.title },
  ]
  return (
    can('tenant.settings.read') && (
      <PageTabs
        label={t.settings.tabs}
        tabs={[
          { path: '/settings', label: t.settings.general },
          { path: '/settings/consent', label: t.consent.title },
          ...(can('tenant.settings.write') ? changing : []),
        ]}
      />
    )
  )
}
