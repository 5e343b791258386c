import type { PermissionName } from '../../shared/access.ts'
import type { RightsGrantDto } from '../../shared/dtos/rights.ts'
import { permissionTexts } from '../../shared/permission-texts.ts'
import { isDeviceRole, roles, type RoleName } from '../../shared/roles.ts'
import { en as t } from '../strings/en.ts'
import { visibleName } from '../strings/visible-name.ts'

interface Thing {
  kind: string
  id: string | null
  name: string | null
}

/** Name of a principal or a scope, or what kind of thing hides behind it. */
export const thingName = ({ kind, name }: Thing): string =>
  kind === 'Server' || kind === 'Tenant'
    ? t.rights.scopes[kind]!
    : name === null
      ? (t.rights.hidden[kind] ?? kind)
      : visibleName(name)

/** The devices that a scope reaches, in a sentence. */
function reached({ kind, ...scope }: Thing): string {
  const name = thingName({ kind, ...scope })
  switch (kind) {
    case 'CustomerTenant':
      return t.rights.devicesOf(name)
    case 'DeviceGroup':
      return t.rights.devicesIn(name)
    case 'Device':
      return name
    default:
      return t.rights.everyDevice
  }
}

export const permissionLabel = (name: string): string => permissionTexts[name as PermissionName]?.displayName ?? name

/** Sentence about a role at a place: "Anna may control … the devices of Contoso". */
export function roleSentence(who: string, role: RoleName, scope: Thing, isDeny: boolean): string {
  const says = isDeviceRole(role) ? `${roles[role].says} ${reached(scope)}` : roles[role].says
  return isDeny ? t.rights.mayNot(who, says) : t.rights.may(who, says)
}

/** Short label of what is given: "Technician", "Technician and 2 more rights", "3 rights". */
export function grantLabel({ roles: names, beyond, permissions }: RightsGrantDto): string {
  if (names.length === 0) {
    return permissions.length === 1 ? permissionLabel(permissions[0]!) : t.rights.permissions(permissions.length)
  }
  const titles = names.map((name) => roles[name].title).join(', ')
  return beyond.length === 0 ? titles : `${titles} ${t.rights.and(beyond.length)}`
}
