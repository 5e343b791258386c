import type { PowerVariant } from '../../../shared/dtos/power-change.ts'
import { environment } from '../../base/config.ts'
import type { Out } from './library.ts'
import type { CommandLine } from '../../base/command-line.ts'
import type { WindowsSession } from './sessions.ts'
import { powershellFile } from './shells.ts'
import { powrprof } from './win32/powrprof.ts'
import { firmwareUefi, winbase } from './win32/winbase.ts'

const system = (program: string) => `${environment.windows}\\System32\\${program}`
const people = (sessions: readonly WindowsSession[]) => sessions.filter(({ user }) => user !== '')

/** `SetSuspendState` of `rundll32` hibernates where hibernation is on, so the call of .NET is used. */
const suspend =
  "Add-Type -AssemblyName System.Windows.Forms; exit [int]![Windows.Forms.Application]::SetSuspendState('Suspend', $false, $false)"

/** Whether a function of Windows says so; Windows versions without it have no such change. */
async function saysYes(ask: () => Promise<boolean>): Promise<boolean> {
  try {
    return await ask()
  } catch {
    return false
  }
}

async function isUefi() {
  const type: Out<number> = [0]
  return (await winbase()).getFirmwareType(type) && type[0] === firmwareUefi
}

/** Changes that this machine has. Only a service can be started in safe mode, where it serves again. */
export async function powerVariants(isService: boolean): Promise<PowerVariant[]> {
  const [canSleep, hasFirmware] = await Promise.all([
    saysYes(async () => (await powrprof()).isPwrSuspendAllowed()),
    saysYes(isUefi),
  ])
  return [
    'lock',
    'log-off',
    ...(canSleep ? (['sleep'] as const) : []),
    ...(hasFirmware ? (['firmware'] as const) : []),
    ...(isService ? (['safe-mode'] as const) : []),
  ]
}

/** A disconnected session shows the sign-in screen: services cannot call `LockWorkStation` for it. */
export function powerVariant(
  change: PowerVariant,
  sessions: readonly WindowsSession[],
): readonly CommandLine[] | undefined {
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
    case 'safe-mode':
      return undefined
  }
}
