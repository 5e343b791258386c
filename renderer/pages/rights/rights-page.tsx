import { useParams } from 'react-router'
import { PageInParts, type PagePart } from '../../components/page-in-parts.tsx'
import * as t from '../../texts.ts'
import { ChangesPart } from './changes-part.tsx'
import { CheckPart } from './check-part.tsx'
import { GrantsPart } from './grants-part.tsx'
import { SharesPart } from './shares-part.tsx'

const { grants, check, changes, shares } = t.rights.tab
const parts: Readonly<Record<string, PagePart>> = {
  grants: { path: '/rights', label: grants, permissions: ['tenant.permissions.read'], Content: GrantsPart },
  check: { path: '/rights/check', label: check, permissions: ['tenant.permissions.read'], Content: CheckPart },
  changes: {
    path: '/rights/changes',
    label: changes,
    permissions: ['tenant.authorization-logs.read', 'server.authorization-logs.read'],
    Content: ChangesPart,
  },
  shares: { path: '/rights/shares', label: shares, permissions: ['device.logon-token.create'], Content: SharesPart },
}

/** Roles and rights: assignments, check, change log, shares. */
export function Component() {
  const { part = 'grants' } = useParams()
  return <PageInParts title={t.rights.title} label={t.rights.tabs} parts={parts} name={part} />
}
