import type { Principal } from '../principal.ts'

export const mayUseAllDesktops = ({ credential }: Principal): boolean =>
  credential.kind !== 'LogonToken' || credential.allowedDesktopSessionIds === null

/** A logon token may name the desktop sessions that it is good for; everyone else may see all of a device's. */
export const mayUseDesktopSession = ({ credential }: Principal, systemSessionId: number): boolean =>
  credential.kind !== 'LogonToken' || (credential.allowedDesktopSessionIds?.includes(systemSessionId) ?? true)
