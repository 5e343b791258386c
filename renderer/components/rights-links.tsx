import { Group } from '@mantine/core'
import { TextLink } from './links.tsx'
import type { ScopeKind } from '../../shared/access.ts'
import type { RoleName } from '../../shared/roles.ts'
import { useSession } from '../hooks/use-session.ts'
import * as t from '../texts.ts'

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

/** Links to rights, as far as the person may read and change rights; the first one gives rights. */
function Links({ give, others }: { give: [address: string, text: string]; others: [address: string, text: string][] }) {
  const { can } = useSession()
  if (!can('tenant.permissions.read')) {
    return null
  }
  const shown = can('tenant.permissions.write') ? [give, ...others] : others
  return (
    <Group gap="4px 16px">
      {shown.map(([address, text]) => (
        <TextLink key={text} to={address}>
          {text}
        </TextLink>
      ))}
    </Group>
  )
}

/** Links to the rights of a principal. */
export const RightsLinks = ({ kind, id }: { kind: HolderKind; id: string }) => (
  <Links
    give={[giveToAddress(kind, id), t.rights.give]}
    others={[
      [rightsAddress(kind, id), t.rights.all],
      [checkAddress({ kind, who: id }), t.rights.checkThis],
    ]}
  />
)

/** Links to who has rights on a thing, and to giving rights on it. */
export const ThingRightsLinks = ({ kind, id }: { kind: PlaceKind; id: string }) => (
  <Links
    give={[giveAtAddress(kind, id), t.rights.giveAt]}
    others={[
      [`/rights?${new URLSearchParams({ place: kind, thing: id }).toString()}`, t.rights.whoHas],
      [checkAddress({ place: kind, thing: id }), t.rights.checkHere],
    ]}
  />
)
