import { Navigate, useParams, useSearchParams } from 'react-router'
import { PageInParts, type PagePart } from '../../components/page-in-parts.tsx'
import { alertAddress } from '../../features/alerts/alert-cards.tsx'
import * as t from '../../texts.ts'
import { AlertsPart } from './alerts-part.tsx'
import { OnCallPart } from './on-call-part.tsx'
import { RulesPart } from './rules-part.tsx'

const { list, rules, 'on-call': onCall } = t.alertPages.tab
const parts: Readonly<Record<string, PagePart>> = {
  list: { path: '/alerts', label: list, Content: AlertsPart },
  rules: { path: '/alerts/rules', label: rules, permissions: ['tenant.settings.read'], Content: RulesPart },
  'on-call': { path: '/alerts/on-call', label: onCall, permissions: ['tenant.settings.read'], Content: OnCallPart },
}

/** Alerts, the rules that open them, and who is on call. */
export function Component() {
  const { part = 'list' } = useParams()
  // The address that notifications name.
  const alertId = useSearchParams()[0].get('alert')
  return alertId ? (
    <Navigate to={alertAddress(alertId)} replace />
  ) : (
    <PageInParts title={t.alerts.title} label={t.alertPages.tabs} parts={parts} name={part} />
  )
}
