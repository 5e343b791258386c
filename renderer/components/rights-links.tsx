import { Anchor, Group } from '@mantine/core'
import { Link } from 'react-router'
import type { ScopeKind } from '../../shared/access.ts'
import type { RoleName } from '../../shared/roles.ts'
import { useSession } from '../hooks/use-session.ts'
import { en as t } from '../strings/en.ts'

export type HolderKind = 'User' | 'UserGroup' | 'ServiceAccount'
type PlaceKind = 'CustomerTenant' | 'DeviceGroup' | 'Device'

/** Role that the dialog begins with. */
const firstRole: RoleName = 'Technician'

/** Address of the assignments of a principal. */
export const rightsAddress = (kind: HolderKind, id: string) =>
  `/rights?${new URLSearchParams({ principal: id, kind }).toString()}`

/** Address that opens the dialog which gives rights to a principal. */
export const giveToAddress = (kind: HolderKind, id: string) =>
  `/rights?${new URLSearchParams({ principal: id, kind, give: firstRole }).toString()}`

/** Address that opens the dialog which gives rights on a thing. */
export const giveAtAddress = (kind: PlaceKind, id: string) =>
  `/rights?${new URLSearchParams({ place: kind, thing: id, give: firstRole }).toString()}`

/** Address of the rights check, filled in with what is known. */
export const checkAddress = (known: { kind?: HolderKind; who?: string; place?: ScopeKind; thing?: string }) =>
  `/rights/check?${new URLSearchParams(known).toString()}`

/** Links to the rights of a principal, as far as the person may read and change rights. */
export function RightsLinks({ kind, id }: { kind: HolderKind; id: string }) {
  const { can } = useSession()
  if (!can('tenant.permissions.read')) {
    return null
  }
  return (
    <Group gap="4px 16px">
      {can('tenant.permissions.write') && (
        <Anchor component={Link} to={giveToAddress(kind, id)}>
          {t.rights.give}
        </Anchor>
      )}
      <Anchor component={Link} to={rightsAddress(kind, id)}>
        {t.rights.all}
      </Anchor>
      <Anchor component={Link} to={checkAddress({ kind, who: id })}>
        {t.rights.checkThis}
      </Anchor>
    </Group>
  )
}

/** Links to who has rights on a thing, and to giving rights on it. */
export function ThingRightsLinks({ kind, id }: { kind: PlaceKind; id: string }) {
  const { can } = useSession()
  if (!can('tenant.permissions.read')) {
    return null
  }
  return (
    <Group gap="4px 16px">
      {can('tenant.permissions.write') && (
        <Anchor component={Link} to={giveAtAddress(kind, id)}>
          {t.rights.giveAt}
        </Anchor>
      )}
      <Anchor component={Link} to={`/rights?${new URLSearchParams({ place: kind, thing: id }).toString()}`}>
        {t.rights.whoHas}
      </Anchor>
      <Anchor component={Link} to={checkAddress({ place: kind, thing: id })}>
        {t.rights.checkHere}
      </Anchor>
    </Group>
  )
}
