import { desktopEnvironment, isRoot } from '../../../base/config.ts'
import type { FoundDesktop, Launcher } from '../../found-desktop.ts'
import { desktopProgram, spawnDesktop } from '../../spawned-process.ts'
import type { DisplayAddress } from '../x11/connection.ts'
import type { X11Desktop } from './discover.ts'
import { findOwner, ownerProblem, type Owner } from './owner.ts'

/** Environment of programs on this display; excludes the agent's own variables. */
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

/** Starts the desktop's process as the owner of the display, if the agent runs as root. */
export const launcherOf = (address: DisplayAddress, owner: Owner): Launcher => ({
  key: `${address.display} ${address.authorityFile} ${owner.uid}`,
  start: (command = desktopProgram()) =>
    spawnDesktop(command, {
      environment: desktopEnvironment(variablesOf(address, owner)),
      ...(isRoot && { as: { uid: owner.uid, gid: owner.gid } }),
    }),
})

/** Adds the launcher to a desktop, or the reason why the desktop cannot be served. */
export async function withLauncher({ address, obstacle, ...description }: X11Desktop): Promise<FoundDesktop> {
  const owner = address ? await findOwner(description.username) : undefined
  const problem =
    obstacle || (address && owner ? ownerProblem(address.display, owner) : 'The system does not know its user.')
  return address && owner && !problem
    ? { ...description, launcher: launcherOf(address, owner), obstacle: '' }
    : { ...description, launcher: null, obstacle: problem ?? '' }
}
