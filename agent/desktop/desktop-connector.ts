import { ownDesktop } from '../base/config.ts'
import { UserError } from '../base/errors.ts'
import type { Desktop } from './desktop.ts'
import { plainSystem, type NativeSystem } from './native/system.ts'

/** Opens the one desktop that this process serves. */
export interface DesktopConnector {
  /** Opens a new desktop for each use, which owns and closes it. Rejects with a UserError. */
  open(): Promise<Desktop>
  /** Rejects with a UserError if the desktop cannot be shown at present. */
  check(): Promise<void>
}

async function x11Connector(): Promise<DesktopConnector> {
  const [{ Connection }, { openX11Desktop }] = await Promise.all([
    import('./x11/connection.ts'),
    import('./x11/desktop.ts'),
  ])
  const { display = '', authorityFile } = ownDesktop
  const address = { display, ...(authorityFile !== undefined && { authorityFile }) }
  let isChecked = false
  return {
    open: () => openX11Desktop(address),
    /** Opens the whole desktop the first time; later only connects to the display, because sessions may be active. */
    async check() {
      const opened = isChecked ? await Connection.open(address) : await openX11Desktop(address)
      opened.close()
      isChecked = true
    },
  }
}

const systems: Partial<Record<NodeJS.Platform, () => Promise<NativeSystem>>> = {
  win32: async () => (await import('./native/windows-system.ts')).windowsSystem(),
  darwin: async () => (await import('./native/mac-system.ts')).macSystem(),
}

async function nativeConnector(): Promise<DesktopConnector> {
  const { openNativeDesktop } = await import('./native/desktop.ts')
  const system = (await systems[process.platform]?.()) ?? plainSystem
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

/** Connector to the desktop of the session that this process runs in. */
export const desktopConnector = (): Promise<DesktopConnector> =>
  process.platform === 'linux' ? x11Connector() : nativeConnector()
