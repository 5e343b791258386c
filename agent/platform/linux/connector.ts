import { ownDesktop } from '../../base/environment.ts'
import type { DesktopConnector } from '../platform.ts'

const ownAddress = () => {
  const { display = '', authorityFile } = ownDesktop
  return { display, ...(authorityFile !== undefined && { authorityFile }) }
}

/** Connector to the display of this process. */
async function x11Connector(): Promise<DesktopConnector> {
  const [{ Connection }, { openX11Desktop }] = await Promise.all([
    import('./x11/connection.ts'),
    import('./x11/desktop.ts'),
  ])
  const address = ownAddress()
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

/** Connector to the desktop of this process. The code of a display system is loaded only in the process of a desktop. */
export const linuxConnector = async (): Promise<DesktopConnector> =>
  ownDesktop.waylandSocket === undefined
    ? await x11Connector()
    : (await import('./wayland/connector.ts')).waylandConnector

/** Blanks the screens of the X display of this process until standard input ends. */
export async function keepX11Blank(): Promise<void> {
  const { keepBlank } = await import('./x11/blank-process.ts')
  await keepBlank(ownAddress(), process.stdin, (line) => void process.stdout.write(`${line}\n`))
}
