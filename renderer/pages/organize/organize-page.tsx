import { IconFolders } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Navigate, useParams } from 'react-router'
import type { PermissionName } from '../../../shared/access.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageTabs } from '../../components/page-tabs.tsx'
import { useAskedSection } from '../../hooks/use-asked-section.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { CustomersTab } from './customers-tab.tsx'
import { GroupsTab } from './groups-tab.tsx'
import { TagsTab } from './tags-tab.tsx'

type TabName = keyof typeof t.organize.tabs

interface Tab {
  name: TabName
  permission?: PermissionName
  content: (tabs: ReactNode) => ReactNode
}

const tabs: readonly Tab[] = [
  { name: 'customers', permission: 'tenant.customers.read', content: (bar) => <CustomersTab tabs={bar} /> },
  { name: 'groups', permission: 'tenant.device-groups.read', content: (bar) => <GroupsTab tabs={bar} /> },
  { name: 'tags', content: (bar) => <TagsTab tabs={bar} /> },
]

/** Customers, device groups and tags, as far as the user may read them. */
export function Component() {
  usePageTitle(t.organize.title)
  useAskedSection()
  const { can } = useSession()
  const { tab: wanted } = useParams()
  const open = tabs.filter(({ permission }) => !permission || can(permission))
  const tab = open.find(({ name }) => name === wanted)
  if (!tab) {
    return open[0] ? (
      <Navigate to={`/organize/${open[0].name}`} replace />
    ) : (
      <EmptyState icon={IconFolders} title={t.organize.noRightTitle} hint={t.organize.noRight} />
    )
  }
  const bar = (
    <PageTabs
      label={t.organize.title}
      tabs={open.map(({ name }) => ({ path: `/organize/${name}`, label: t.organize.tabs[name] }))}
    />
  )
  return tab.content(bar)
}
