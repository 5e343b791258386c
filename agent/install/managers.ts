import { platform } from '../platform/index.ts'
import type { ServiceManager } from '../platform/service-manager.ts'
import { background } from './background.ts'

/** The managers of this system, best first; starting a background process is always possible. */
export async function availableManagers(): Promise<[ServiceManager, ...ServiceManager[]]> {
  const native = platform.program.serviceManagers
  const available = await Promise.all(native.map((manager) => manager.isAvailable()))
  const [best, ...others] = native.filter((_, index) => available[index])
  return best ? [best, ...others, background] : [background]
}
