import { UserError } from '../../../base/errors.ts'
import type { DesktopConnector } from '../../platform.ts'
import { permissionProblem } from './permissions.ts'

/** Connector to the main display through a native package, which is loaded only in the process of a desktop. */
export async function macConnector(): Promise<DesktopConnector> {
  const { openMacDesktop } = await import('./desktop.ts')
  return {
    open: openMacDesktop,
    async check() {
      const problem = await permissionProblem()
      if (problem !== undefined) {
        throw new UserError(problem)
      }
      const desktop = await openMacDesktop()
      desktop.close()
    },
  }
}
