import type { PermissionName } from '../../shared/access.ts'
import type { RightsSummaryDto } from '../../shared/api/appliance-people.ts'
import { permissionTexts } from '../../shared/permission-texts.ts'
import { isDeviceRole, roles, type RoleName } from '../../shared/roles.ts'
import * as t from '../texts.ts'
import { visibleName } from '../text/visible-name.ts'

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

/** Permissions at one place, as the server names them. */
interface Held {
  roles: readonly RoleName[]
  beyond: readonly string[]
}

/** Everybody holds it: it is named only where nothing else is held. */
const isOrdinary = (name: RoleName) => name === 'Self Service'

/** Short label of what is held at a place: "Technician", "Technician and 2 more rights", "3 rights". */
export function heldLabel({ roles: held, beyond }: Held): string {
  const named = held.filter((name) => !isOrdinary(name))
  const titles = (named.length > 0 || beyond.length > 0 ? named : held).map((name) => roles[name].title).join(', ')
  const rest = beyond.length === 1 ? permissionLabel(beyond[0]!) : t.rights.permissions(beyond.length)
  return titles === '' ? rest : beyond.length === 0 ? titles : `${titles} ${t.rights.and(beyond.length)}`
}

/** Summary of what a principal holds, in one line: "Administrator, Technician on 2 places". */
export function summaryLabel(summary: readonly RightsSummaryDto[] | null): string {
  if (summary === null) {
    return t.people.unknownRole
  }
  const isWorthNaming = ({ roles: held, beyond }: Held) => beyond.length > 0 || !held.every(isOrdinary)
  const named = summary.some(isWorthNaming) ? summary.filter(isWorthNaming) : summary
  return (
    named
      .map((held) => (held.places === null ? heldLabel(held) : t.rights.onPlaces(heldLabel(held), held.places)))
      .join(', ') || t.people.noRole
  )
}
