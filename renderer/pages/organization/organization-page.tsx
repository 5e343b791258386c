import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { serverQueries } from '../../api/server-queries.ts'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useAskedSection } from '../../hooks/use-asked-section.ts'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { NoRight } from '../../components/no-right.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import { AtDeviceSection } from './at-device-section.tsx'
import { InstallSection } from './install-section.tsx'
import classes from './organization-page.module.css'

function Settings() {
  const { user, can } = useSession()
  const { data, error, isPending, refetch } = useQuery(serverQueries.tenantSettings(user.tenantId))
  const isLate = useIsLate(isPending)
  const isReadOnly = !can('tenant.settings.write')
  return (
    <div className={classes.content}>
      {isReadOnly && <p className="muted">{t.organization.readOnly}</p>}
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {isLate && <Skeleton height={240} />}
      {data && (
        <>
          <AtDeviceSection settings={data} isReadOnly={isReadOnly} />
          <InstallSection settings={data} isReadOnly={isReadOnly} />
        </>
      )}
    </div>
  )
}

/** Settings of the organization. */
export function Component() {
  usePageTitle(t.organization.title)
  useAskedSection()
  const { can } = useSession()
  return (
    <>
      <PageHead title={t.organization.title} intro={t.organization.intro} />
      {can('tenant.settings.read') ? (
        <Settings />
      ) : (
        <NoRight page={t.organization.title} rights={['tenant.settings.read']} />
      )}
    </>
  )
}
