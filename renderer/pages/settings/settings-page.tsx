import { useQuery } from '@tanstack/react-query'
import { serverQueries } from '../../api/server-queries.ts'
import { PageHead } from '../../components/page-head.tsx'
import { useAskedSection } from '../../hooks/use-asked-section.ts'
import { pageWithRight } from '../../components/no-right.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { AtDeviceSection } from './at-device-section.tsx'
import { InstallSection } from './install-section.tsx'
import { SettingsTabs } from './settings-tabs.tsx'
import { SignInSection } from './sign-in-section.tsx'
import card from '../../components/card-page.module.css'

function Settings() {
  const { can } = useSession()
  const query = useQuery(serverQueries.tenantSettings)
  const { data } = query
  const name = useQuery(serverQueries.organization).data?.name
  const isReadOnly = !can('tenant.settings.write')
  return (
    <div className={card.content}>
      {name !== undefined && (
        <p>
          {t.settings.name} <strong>{visibleName(name)}</strong>
        </p>
      )}
      {isReadOnly && <p className="muted">{t.settings.readOnly}</p>}
      {!data && <QueryState query={query} height={240} />}
      {data && (
        <>
          <AtDeviceSection settings={data} isReadOnly={isReadOnly} />
          <SignInSection isReadOnly={isReadOnly} />
          <InstallSection settings={data} isReadOnly={isReadOnly} />
        </>
      )}
    </div>
  )
}

/** Settings of the organization. */
export const Component = pageWithRight(t.settings.title, ['tenant.settings.read'], function SettingsPage() {
  useAskedSection()
  return (
    <>
      <PageHead title={t.settings.title} intro={t.settings.intro} />
      <SettingsTabs />
      <Settings />
    </>
  )
})
