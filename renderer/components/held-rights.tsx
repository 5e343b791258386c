import { Badge } from '@mantine/core'
import type { HeldRightsDto } from '../../shared/api/appliance-people.ts'
import { permissionTexts } from '../../shared/permission-texts.ts'
import * as t from '../texts.ts'
import { visibleName } from '../text/visible-name.ts'
import { heldLabel } from './rights-texts.ts'
import classes from './held-rights.module.css'

function HeldRight({ right }: { right: HeldRightsDto }) {
  const { effect, scopeKind, scopeName, group, isEnabled, permissions } = right
  return (
    <li className={classes.right}>
      <span>
        <strong>{heldLabel(right)}</strong>{' '}
        {t.heldRights.scope(scopeKind, scopeName === null ? null : visibleName(scopeName))}
        {group && ` ${t.heldRights.via(group.name === null ? null : visibleName(group.name))}`}{' '}
        {effect === 'Deny' && (
          <Badge size="xs" color="danger" variant="light">
            {t.heldRights.denied}
          </Badge>
        )}
        {!isEnabled && (
          <Badge size="xs" variant="default">
            {t.heldRights.off}
          </Badge>
        )}
      </span>
      <details>
        <summary className="small muted">{t.heldRights.some(permissions.length)}</summary>
        <ul className={classes.names}>
          {permissions.map((name) => (
            <li key={name} title={permissionTexts[name].description}>
              {permissionTexts[name].displayName} <code className="small muted">{name}</code>
            </li>
          ))}
        </ul>
      </details>
    </li>
  )
}

/** Rights as sentences; the names of the permissions are one fold away. */
export const HeldRights = ({ rights, label }: { rights: readonly HeldRightsDto[]; label: string }) => (
  <ul aria-label={label}>
    {rights.map((right) => (
      <HeldRight
        key={[right.effect, right.scopeKind, right.scopeId, right.group?.id, right.isEnabled].join(' ')}
        right={right}
      />
    ))}
  </ul>
)
