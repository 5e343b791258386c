/** Registers an installed agent under "Apps" in Windows. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path/win32'
import { environment } from '../../base/environment.ts'
import { publisher } from '../../base/paths.ts'
import { quoteForPowerShell } from '../../../shared/power-shell.ts'
import { quoteArgument } from '../../../shared/windows/command-line.ts'
import { removeMachineKey, writeMachineKey } from './registry.ts'
import { agentVersion } from '../../base/version.ts'
import type { ServiceSpec } from '../service-manager.ts'

const uninstallKey = ({ instanceId }: Pick<ServiceSpec, 'instanceId'>) =>
  `SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\Farhand.Agent${instanceId ? ` (${instanceId})` : ''}`

/** Date in the format of Windows: year, month and day without separators. */
const dayOf = (date: Date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('')

/**
 * Values of the entry under "Apps". Windows runs `UninstallString` with the current user's rights, so that command
 * requests elevation; elevated programs run `QuietUninstallString`.
 */
export function uninstallEntry(spec: ServiceSpec, kibibytes: number, now: Date) {
  const [program, ...args] = spec.uninstall
  const powershell = join(environment.windows, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe')
  const ask =
    `Start-Process -Verb RunAs -FilePath ${quoteForPowerShell(program)} ` +
    `-ArgumentList ${quoteForPowerShell(args.map(quoteArgument).join(' '))}`
  return {
    DisplayName: `Farhand agent${spec.instanceId ? ` (${spec.instanceId})` : ''}`,
    DisplayVersion: agentVersion,
    Publisher: publisher,
    InstallLocation: spec.paths.programFolder,
    InstallDate: dayOf(now),
    EstimatedSize: kibibytes,
    UninstallString: [powershell, '-NoProfile', '-WindowStyle', 'Hidden', '-Command', ask].map(quoteArgument).join(' '),
    QuietUninstallString: spec.uninstall.map(quoteArgument).join(' '),
    NoModify: 1,
    NoRepair: 1,
  }
}

const kibibytesIn = (folder: string) =>
  Math.ceil(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0) / 1024,
  )

/** Lists the agent under "Apps". Rejects with a UserError. */
export const listUnderApps = (spec: ServiceSpec): Promise<void> =>
  writeMachineKey(uninstallKey(spec), uninstallEntry(spec, kibibytesIn(spec.paths.programFolder), new Date()))

export const removeFromApps = (spec: Pick<ServiceSpec, 'instanceId'>): Promise<void> =>
  removeMachineKey(uninstallKey(spec))
