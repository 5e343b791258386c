import { useParams } from 'react-router'
import type { PermissionName } from '../../../shared/access.ts'
import { NoRight } from '../../components/no-right.tsx'
import { PageTabs } from '../../components/page-tabs.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { NotFound } from '../../components/not-found.tsx'
import { ChangesPart } from './changes-part.tsx'
import { CheckPart } from './check-part.tsx'
import { GrantsPart } from './grants-part.tsx'
import { SharesPart } from './shares-part.tsx'

/** Parts of the page: address, right, content. */
const parts = {
  grants: { path: '/rights', permissions: ['tenant.permissions.read'], Content: GrantsPart },
  check: { path: '/rights/check', permissions: ['tenant.permissions.read'], Content: CheckPart },
  changes: {
    path: '/rights/changes',
    permissions: ['tenant.authorization-logs.read', 'server.authorization-logs.read'],
    Content: ChangesPart,
  },
  shares: { path: '/rights/shares', permissions: ['device.logon-token.create'], Content: SharesPart },
} as const satisfies Record<string, { path: string; permissions: readonly PermissionName[]; Content: unknown }>
type PartName = keyof typeof parts

const isPart = (name: string): name is PartName => Object.hasOwn(parts, name)

function Tabs() {
  const { can } = useSession()
  const open = (Object.keys(parts) as PartName[]).filter((name) => parts[name].permissions.some(can))
  return (
    <PageTabs
      label={t.rights.tabs}
      tabs={open.map((name) => ({ path: parts[name].path, label: t.rights.tab[name] }))}
    />
  )
}

/** Roles and rights: assignments, check, change log, shares. */
export function Component() {
  usePageTitle(t.rights.title)
  const { can } = useSession()
  const { part = 'grants' } = useParams()
  if (!isPart(part)) {
    return <NotFound />
  }
  const { permissions, Content } = parts[part]
  if (!permissions.some(can)) {
    return <NoRight page={`${t.rights.title}: ${t.rights.tab[part]}`} rights={permissions} />
  }
  return <Content tabs={<Tabs />} />
}
