import { background } from './background.ts'
import { launchd } from './launchd.ts'
import { openrc } from './openrc.ts'
import type { ServiceManager } from './service.ts'
import { systemd } from './systemd.ts'
import { windowsService } from './windows-service.ts'

/** The managers of this system, best first; starting a background process is always possible. */
export async function availableManagers(): Promise<[ServiceManager, ...ServiceManager[]]> {
  const native = [systemd, openrc, launchd, windowsService]
  const available = await Promise.all(native.map((manager) => manager.isAvailable()))
  const [best, ...others] = native.filter((_, index) => available[index])
  return best ? [best, ...others, background] : [background]
}
