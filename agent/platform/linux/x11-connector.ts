import { ownDesktop } from '../../base/config.ts'
import type { DesktopConnector } from '../platform.ts'

/** Connector to the display of this process. The client of X11 is loaded only in the process of a desktop. */
export async function x11Connector(): Promise<DesktopConnector> {
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
