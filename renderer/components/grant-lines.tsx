import { useQuery } from '@tanstack/react-query'
import { TextLink } from './links.tsx'
import { rightsQueries } from '../api/rights-queries.ts'
import { useSession } from '../hooks/use-session.ts'
import * as t from '../texts.ts'
import { heldLabel, thingName } from './rights-texts.ts'
import rows from './pane-rows.module.css'

interface GrantLinesProps {
  label: string
  /** Assignments that reach a device, or those of a principal. */
  of: { deviceId: string } | { principalId: string }
}

/** Assignments in force, with the same roles as in the list of rights; for readers of rights only. */
export function GrantLines({ label, of }: GrantLinesProps) {
  const { can } = useSession()
  const { data } = useQuery({
    ...rightsQueries.inForce(of),
    enabled: can('tenant.permissions.read'),
  })
  if (data === undefined || data.items.length === 0) {
    return null
  }
  const rest = data.totalItems - data.items.length
  return (
    <ul className={rows.list} aria-label={label}>
      {data.items.map((grant) => (
        <li key={grant.assignmentIds[0]} className={rows.row}>
          <span className={rows.text}>
            <TextLink to={`/rights?${new URLSearchParams({ open: grant.assignmentIds[0]! })}`}>
              <bdi>{'deviceId' in of ? thingName(grant.principal) : heldLabel(grant)}</bdi>
            </TextLink>
            <bdi className="small muted">
              {'deviceId' in of && `${heldLabel(grant)} · `}
              {thingName(grant.scope)}
            </bdi>
          </span>
        </li>
      ))}
      {rest > 0 && <li className="small muted">{t.rights.more(rest)}</li>}
    </ul>
  )
}
