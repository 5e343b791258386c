import type { App } from '../call/call.ts'
import { asServiceAccount, type Maker } from '../ground/principal.ts'
import { deviceResource } from '../fleet/rights.ts'
import { makerAllows } from '../rights/rights.ts'

/** Device of a link, and the account that made it. */
interface Link extends Maker {
  deviceId: string
}

/**
 * Name of the maker of a link in the name of another user: the one to sign in with, because people choose the other one.
 * Null for own links, and for guests with a name.
 */
export function linkMakerOf(
  { accounts, serviceAccounts }: App,
  { makerId }: Maker,
  user: { id: string; guestName: string | null },
): string | null {
  if (user.guestName !== null || makerId === user.id) {
    return null
  }
  const program = serviceAccounts.get(makerId)
  return accounts.get(makerId)?.userName ?? (program ? asServiceAccount(program.name) : null)
}

/** True while the maker of a link is enabled and may make links to the device (T43). */
export function standsLink(app: App, link: Link): boolean {
  const device = app.fleet.get(link.deviceId)
  return device !== undefined && makerAllows(app, link, 'device.logon-token.create', deviceResource(device))
}
