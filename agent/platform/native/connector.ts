import { UserError } from '../../base/errors.ts'
import type { DesktopConnector } from '../platform.ts'
import type { NativeSystem } from './system.ts'

/** Connector to the main display through a native package, which is loaded only in the process of a desktop. */
export async function nativeConnector(system: NativeSystem): Promise<DesktopConnector> {
  const { openNativeDesktop } = await import('./desktop.ts')
  return {
    open: () => openNativeDesktop(system),
    async check() {
      const problem = system.problem()
      if (problem !== undefined) {
        throw new UserError(problem)
      }
      const desktop = await openNativeDesktop(system)
      desktop.close()
    },
  }
}
