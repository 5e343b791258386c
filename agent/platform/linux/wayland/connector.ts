import { ownDesktop } from '../../../base/config.ts'
import { UserError } from '../../../base/errors.ts'
import type { Desktop } from '../../desktop/desktop.ts'
import type { DesktopConnector } from '../../platform.ts'
import { Bus } from './bus.ts'
import { openMutterDesktop } from './mutter/desktop.ts'
import { openWlrootsDesktop } from './wlroots/desktop.ts'

/**
 * Opens the desktop of the session of this process, whose variables name it. Resolves with undefined where the
 * compositor does not offer this way; rejects with a UserError where it does and fails.
 */
type OpenWay = () => Promise<Desktop | undefined>

/** Opens a desktop over the session bus; the desktop owns the connection. */
async function overBus(openWay: (bus: Bus) => Promise<Desktop | undefined>): Promise<Desktop | undefined> {
  if (ownDesktop.bus === undefined) {
    return undefined
  }
  const bus = await Bus.open(ownDesktop.bus)
  let desktop: Desktop | undefined
  try {
    desktop = await openWay(bus)
    return desktop
  } finally {
    if (!desktop) {
      bus.close()
    }
  }
}

/** Ways to show and control a Wayland desktop, best first: Wayland itself has none, each compositor brings its own. */
const ways: readonly OpenWay[] = [openWlrootsDesktop, () => overBus(openMutterDesktop)]

const noWay = 'This Wayland desktop lets no program see or control the whole screen. Choose "Xorg" when signing in.'

async function open(): Promise<Desktop> {
  for (const openWay of ways) {
    const desktop = await openWay()
    if (desktop) {
      return desktop
    }
  }
  throw new UserError(noWay)
}

/** Connector to the Wayland session of this process. */
export const waylandConnector: DesktopConnector = {
  open,
  check: async () => (await open()).close(),
}
