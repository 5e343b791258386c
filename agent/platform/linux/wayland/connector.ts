import { ownDesktop } from '../../../base/environment.ts'
import { UserError } from '../../../base/errors.ts'
import type { Desktop } from '../../desktop/desktop.ts'
import type { DesktopConnector } from '../../platform.ts'
import { Bus } from './bus.ts'
import { openMutterDesktop } from './mutter/desktop.ts'
import { hasPortal, openPortalDesktop } from './portal/desktop.ts'
import { openWlrootsDesktop } from './wlroots/desktop.ts'

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

const noWay = 'This Wayland desktop lets no program see or control the whole screen. Choose "Xorg" when signing in.'

/**
 * Opens the desktop of the session of this process by interfaces that ask nobody: Wayland itself has none, each
 * compositor brings its own. Resolves with undefined where the compositor has none; rejects with a UserError where it
 * has one that fails.
 */
const openUnasked = async (isSession: boolean): Promise<Desktop | undefined> =>
  (await openWlrootsDesktop(isSession)) ?? (await overBus(openMutterDesktop))

async function checkPortal() {
  let isOffered = false
  await overBus(async (bus) => {
    isOffered = await hasPortal(bus)
    return undefined
  })
  if (!isOffered) {
    throw new UserError(noWay)
  }
}

/** Whether the portal is the way to this desktop; known after a check. */
let isByPortal = false

export const waylandConnector: DesktopConnector = {
  async open(use) {
    const desktop =
      (await openUnasked(use.isSession)) ??
      (await overBus(async (bus) => ((await hasPortal(bus)) ? await openPortalDesktop(bus, use) : undefined)))
    if (!desktop) {
      throw new UserError(noWay)
    }
    return desktop
  },
  async check() {
    const desktop = await openUnasked(false)
    desktop?.close()
    isByPortal = !desktop
    if (isByPortal) {
      await checkPortal()
    }
  },
  asksPerson: async (grant) => isByPortal && (await grant.read()) === null,
}
