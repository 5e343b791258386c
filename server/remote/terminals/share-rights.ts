import type { App } from '../../call/call.ts'
import type { DeviceState } from '../../fleet/device-state.ts'
import { deviceResource } from '../../fleet/rights.ts'
import type { Principal } from '../../ground/principal.ts'
import { makerAllows, tokensAllow } from '../../rights/rights.ts'
import type { TerminalShareRow } from './tables.ts'
import type { Terminal } from './terminal-mirror.ts'

export interface Shared {
  share: TerminalShareRow
  terminal: Terminal
  device: DeviceState
}

/**
 * Terminal that the link of a principal shares; undefined once the link, the terminal, or a right of the link's maker has
 * ended (T30, T43). The right to make links is part of `isLive`.
 */
export function sharedWith(app: App, principal: Principal): Shared | undefined {
  const { credential, madeWith } = principal
  const share = credential.kind === 'LogonToken' ? app.terminalShares.find(credential.id) : undefined
  const terminal = share && app.terminals.find(share.deviceId, share.terminalId)
  const device = share && app.fleet.get(share.deviceId)
  if (credential.kind !== 'LogonToken' || !terminal || !device || !principal.isLive()) {
    return undefined
  }
  // Ids of terminals are chosen by viewers: the terminal of another owner may have the id of an ended one.
  const makers = [`${credential.makerKind} ${credential.makerId}`, `PersonalAccessToken ${madeWith ?? ''}`]
  if (!makers.includes(terminal.owner)) {
    return undefined
  }
  const resource = deviceResource(device)
  const stands =
    makerAllows(app, credential, 'device.terminal.use', resource) &&
    (madeWith == null ||
      (['device.terminal.use', 'device.logon-token.create'] as const).every((permission) =>
        tokensAllow(app, permission)(madeWith, resource),
      ))
  return stands ? { share, terminal, device } : undefined
}
