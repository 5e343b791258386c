import type { DesktopSession } from '../../shared/dtos/desktop-session.ts'
import type { Call } from '../call/call.ts'
import { AppError } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { Principal } from '../ground/principal.ts'
import { callAgent, notOnline } from '../devices/calls.ts'

export const mayUseAllDesktops = ({ credential }: Principal): boolean =>
  credential.kind !== 'LogonToken' || credential.allowedDesktopSessionIds === null

/**
 * True unless a logon token restricts the desktop sessions; all other credentials may use every session of a device.
 */
export const mayUseDesktopSession = ({ credential }: Principal, systemSessionId: number): boolean =>
  credential.kind !== 'LogonToken' || (credential.allowedDesktopSessionIds?.includes(systemSessionId) ?? true)

/** Desktop sessions of a device that the principal may use. */
export async function desktopSessions(call: Call, device: DeviceState): Promise<DesktopSession[]> {
  if (device.connectionId === '') {
    throw notOnline(409)
  }
  try {
    const sessions = await callAgent(call, device, (agent) => agent.GetActiveDesktopSessions())
    return sessions.filter(({ systemSessionId }) => mayUseDesktopSession(call.principal, systemSessionId))
  } catch (error) {
    throw new AppError(500, (error as Error).message, {
      code: (error instanceof AppError && error.code) || 'device-failed',
      title: 'The device failed.',
    })
  }
}
