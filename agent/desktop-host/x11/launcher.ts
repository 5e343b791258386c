import { desktopEnvironment, isRoot } from '../../base/config.ts'
import type { FoundDesktop, Launcher } from '../found-desktop.ts'
import { desktopProgram, spawnDesktop } from '../spawned-process.ts'
import type { DisplayAddress } from '../../desktop/x11/connection.ts'
import type { X11Desktop } from './discover.ts'
import { findOwner, ownerProblem, type Owner } from './owner.ts'

/** What programs of this user find on this display; nothing of the agent's own. */
const variablesOf = (
  { display, authorityFile }: DisplayAddress,
  { name, home, runtimeFolder }: Owner,
): Record<string, string> => ({
  HOME: home,
  USER: name,
  LOGNAME: name,
  DISPLAY: display,
  ...(authorityFile !== undefined && { XAUTHORITY: authorityFile }),
  ...(runtimeFolder !== undefined && {
    XDG_RUNTIME_DIR: runtimeFolder,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${runtimeFolder}/bus`,
  }),
})

/** Serves a display as its owner, where we may choose. */
export const launcherOf = (address: DisplayAddress, owner: Owner): Launcher => ({
  key: `${address.display} ${address.authorityFile} ${owner.uid}`,
  start: (command = desktopProgram()) =>
    spawnDesktop(command, {
      environment: desktopEnvironment(variablesOf(address, owner)),
      ...(isRoot && { as: { uid: owner.uid, gid: owner.gid } }),
    }),
})

/** The desktop with what starts its process, or with the reason why there is none. */
export async function withLauncher({ address, obstacle, ...description }: X11Desktop): Promise<FoundDesktop> {
  const owner = address ? await findOwner(description.username) : undefined
  const problem =
    obstacle || (address && owner ? ownerProblem(address.display, owner) : 'The system does not know its user.')
  return address && owner && !problem
    ? { ...description, launcher: launcherOf(address, owner), obstacle: '' }
    : { ...description, launcher: null, obstacle: problem ?? '' }
}
