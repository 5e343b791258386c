import type { PowerVariant } from '../../../shared/dtos/power-change.ts'
import { environment } from '../../base/config.ts'
import type { CommandLine } from '../../base/command-line.ts'
import type { WindowsSession } from './sessions.ts'
import { powershellFile } from './shells.ts'

const system = (program: string) => `${environment.windows}\\System32\\${program}`
const people = (sessions: readonly WindowsSession[]) => sessions.filter(({ user }) => user !== '')

/** `SetSuspendState` of `rundll32` hibernates where hibernation is on, so the call of .NET is used. */
const suspend =
  "Add-Type -AssemblyName System.Windows.Forms; exit [int]![Windows.Forms.Application]::SetSuspendState('Suspend', $false, $false)"

/** A disconnected session shows the sign-in screen: services cannot call `LockWorkStation` for it. */
export function powerVariant(change: PowerVariant, sessions: readonly WindowsSession[]): readonly CommandLine[] {
  switch (change) {
    case 'lock':
      return people(sessions)
        .filter(({ isConnected }) => isConnected)
        .map(({ id }) => [system('tsdiscon.exe'), String(id)])
    case 'log-off':
      return people(sessions).map(({ id }) => [system('logoff.exe'), String(id)])
    case 'sleep':
      return [[powershellFile, '-NoProfile', '-NonInteractive', '-Command', suspend]]
    case 'firmware':
      return [[system('shutdown.exe'), '/r', '/fw', '/t', '0', '/f']]
  }
}
