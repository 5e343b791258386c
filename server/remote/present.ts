import { instant } from '../ground/instant.ts'
import type { ConsentPolicyDto } from '../../shared/api/appliance-consent.ts'
import type { RemoteSessionDto } from '../../shared/dtos/remote-session.ts'
import { withLinkMaker } from '../ground/principal.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { Accounts } from '../people/account-mirror.ts'
import type { RemoteSession } from './remote-sessions.ts'
import type { ConsentPolicyRow } from './tables.ts'

export const presentPolicy = ({ tenantId: _, ...row }: ConsentPolicyRow): ConsentPolicyDto => ({
  ...row,
  createdAt: instant(row.createdAt),
})

/** A session as listed for a caller. */
export interface ListedSession {
  session: RemoteSession
  device: DeviceState
  /** True if the caller may end the session. */
  canEnd: boolean
}

export function presentRemoteSession(
  { session, device, canEnd }: ListedSession,
  accounts: Pick<Accounts, 'nameOf'>,
): RemoteSessionDto {
  const { id, kind, deviceId, principal, startedAt, isConnected, canInteract } = session
  return {
    id,
    kind,
    deviceId,
    deviceName: device.alias || device.name,
    principalKind: principal.kind,
    principalId: principal.id,
    principalName: withLinkMaker(accounts.nameOf(principal.id) ?? principal.name, principal),
    startedAt: instant(startedAt),
    isConnected,
    ...(canInteract !== undefined && { canInteract }),
    bytesToDevice: session.bytesToDevice(),
    bytesFromDevice: session.bytesFromDevice(),
    canEnd,
    ...(principal.credential.kind === 'LogonToken' && { shareId: principal.credential.id }),
  }
}
