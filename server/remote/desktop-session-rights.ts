import type { Principal } from '../ground/principal.ts'

export const mayUseAllDesktops = ({ credential }: Principal): boolean =>
  credential.kind !== 'LogonToken' || credential.allowedDesktopSessionIds === null

/**
 * True unless a logon token restricts the desktop sessions; all other credentials may use every session of a device.
 */
export const mayUseDesktopSession = ({ credential }: Principal, systemSessionId: number): boolean =>
  credential.kind !== 'LogonToken' || (credential.allowedDesktopSessionIds?.includes(systemSessionId) ?? true)
