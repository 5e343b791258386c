import type { ComponentType, ReactNode } from 'react'
import { Navigate, useParams, useSearchParams } from 'react-router'
import type { PermissionName } from '../../../shared/access.ts'
import { NoRight } from '../../components/no-right.tsx'
import { NotFound } from '../../components/not-found.tsx'
import { PageTabs } from '../../components/page-tabs.tsx'
import { alertAddress } from '../../features/alerts/alert-cards.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { AlertsPart } from './alerts-part.tsx'
import { OnCallPart } from './on-call-part.tsx'
import { RulesPart } from './rules-part.tsx'

interface Part {
  path: string
  permission?: PermissionName
  Content: ComponentType<{ tabs: ReactNode }>
}

/** Parts of the page: address, right, content. */
const parts: Readonly<Record<string, Part>> = {
  list: { path: '/alerts', Content: AlertsPart },
  rules: { path: '/alerts/rules', permission: 'tenant.settings.read', Content: RulesPart },
  'on-call': { path: '/alerts/on-call', permission: 'tenant.settings.read', Content: OnCallPart },
}

function Tabs() {
  const { can } = useSession()
  const open = Object.entries(parts).filter(([, { permission }]) => permission === undefined || can(permission))
  return (
    open.length > 1 && (
      <PageTabs
        label={t.alertPages.tabs}
        tabs={open.map(([name, { path }]) => ({ path, label: t.alertPages.tab[name]! }))}
      />
    )
  )
}

/** Alerts, the rules that open them, and who is on call. */
export function Component() {
  usePageTitle(t.alerts.title)
  const { can } = useSession()
  const { part: name = 'list' } = useParams()
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined
  // The address that notifications name.
  const alertId = useSearchParams()[0].get('alert')
  if (!part) {
    return <NotFound />
  }
  if (alertId) {
    return <Navigate to={alertAddress(alertId)} replace />
  }
  const { permission, Content } = part
  return permission === undefined || can(permission) ? (
    <Content tabs={<Tabs />} />
  ) : (
    <NoRight page={`${t.alerts.title}: ${t.alertPages.tab[name]!}`} rights={[permission]} />
  )
}
