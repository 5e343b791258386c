import { desktopEnvironment, isRoot } from '../../../base/environment.ts'
import type { FoundDesktop, Launcher } from '../../found-desktop.ts'
import { desktopProgram, spawnDesktop } from '../../spawned-process.ts'
import type { DisplayAddress } from '../x11/connection.ts'
import { variablesOfSession, type WaylandAddress } from '../wayland/sessions.ts'
import type { LinuxDesktop } from './discover.ts'
import { findOwner, ownerProblem, sessionProblem, type Owner } from './owner.ts'

type Address = DisplayAddress | WaylandAddress

const isWayland = (address: Address): address is WaylandAddress => 'socket' in address

const x11Variables = (
  { display, authorityFile }: DisplayAddress,
  { runtimeFolder }: Owner,
): Record<string, string> => ({
  DISPLAY: display,
  ...(authorityFile !== undefined && { XAUTHORITY: authorityFile }),
  ...(runtimeFolder !== undefined && {
    XDG_RUNTIME_DIR: runtimeFolder,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${runtimeFolder}/bus`,
  }),
})

/** Environment of programs on this desktop; excludes the agent's own variables. */
const variablesOf = (address: Address, owner: Owner): Record<string, string> => ({
  HOME: owner.home,
  USER: owner.name,
  LOGNAME: owner.name,
  ...(isWayland(address) ? variablesOfSession(address) : x11Variables(address, owner)),
})

const keyOf = (address: Address) =>
  isWayland(address)
    ? `${address.runtimeFolder}/${address.socket} ${address.bus}`
    : `${address.display} ${address.authorityFile}`

/** Starts the desktop's process as the owner of the display, if the agent runs as root. */
export const launcherOf = (address: Address, owner: Owner): Launcher => ({
  key: `${keyOf(address)} ${owner.uid}`,
  start: (command = desktopProgram()) =>
    spawnDesktop(command, {
      environment: desktopEnvironment(variablesOf(address, owner)),
      ...(isRoot && { as: { uid: owner.uid, gid: owner.gid } }),
    }),
})

const problemOf = (address: Address, owner: Owner) =>
  isWayland(address) ? sessionProblem(address.userId, owner) : ownerProblem(address.display, owner)

/** Adds the launcher to a desktop, or the reason why the desktop cannot be served. */
export async function withLauncher({
  address: x11,
  wayland,
  obstacle,
  ...description
}: LinuxDesktop): Promise<FoundDesktop> {
  const address = wayland ?? x11
  const owner = address ? await findOwner(description.username) : undefined
  const problem = obstacle || (address && owner ? problemOf(address, owner) : 'The system does not know its user.')
  return address && owner && !problem
    ? { ...description, launcher: launcherOf(address, owner), obstacle: '' }
    : { ...description, launcher: null, obstacle: problem ?? '' }
}
