import { PageTabs } from '../../components/page-tabs.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'

/** Parts of the settings of the organization; none to choose from without the right to change them. */
export function SettingsTabs() {
  const { can } = useSession()
  return (
    can('tenant.settings.write') && (
      <PageTabs
        label={t.settings.tabs}
        tabs={[
          { path: '/settings', label: t.settings.general },
          { path: '/settings/consent', label: t.consent.title },
          { path: '/settings/recording', label: t.recordingPolicies.title },
          { path: '/settings/webhooks', label: t.webhooks.title },
        ]}
      />
    )
  )
}
