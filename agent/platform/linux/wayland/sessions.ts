import { basename, dirname, resolve } from 'node:path'
import { readSocketPaths, type RunningProcess } from '../desktops/running-processes.ts'

/** Address of a Wayland session: what programs of its user need to reach the compositor and the session bus. */
export interface WaylandAddress {
  userId: number
  /** Name of the compositor's socket in the runtime folder, such as `wayland-0`. */
  socket: string
  runtimeFolder: string
  /** D-Bus address of the session bus. */
  bus: string
  /** Name of the desktop environment, such as `GNOME`; empty if unknown. */
  desktop: string
  /** Display of Xwayland, where programs of this session use it. */
  x11?: { display: string; authorityFile?: string }
}

/** Programs that listen on a Wayland socket and draw the screens. */
const compositor =
  /^(gnome-shell|mutter|kwin_wayland|kwin_wayland_wrapper|sway|Hyprland|labwc|wayfire|river|niri|weston|cosmic-comp|gamescope|hyprland|miriway|mir_demo_server|phoc|cage)$/
const socketName = /^wayland-\d+$/
/**
 * Limit for inspected programs of one user: each session that opens costs a process of about 60 MB, and any user can
 * start programs with the name of a compositor (T37).
 */
const maxCompositorsOfUser = 8

/** Display of Xwayland, as named by any program of the session. */
function xwaylandOf(socket: string, userId: number, processes: readonly RunningProcess[]) {
  const client = processes.find(
    (process) =>
      process.userId === userId &&
      process.environment.get('WAYLAND_DISPLAY') === socket &&
      process.environment.has('DISPLAY'),
  )
  const authorityFile = client?.environment.get('XAUTHORITY')
  return client && { display: client.environment.get('DISPLAY') ?? '', ...(authorityFile && { authorityFile }) }
}

/**
 * Finds the Wayland sessions of this machine by the sockets on which their compositors listen. All that is known of a
 * session comes from processes of one user, and is used by processes of that user only (T32). Processes of root prove
 * nothing: Linux lists programs with protected memory as root's, and setuid programs have the arguments, variables and
 * sockets of their caller.
 */
export async function findWaylandSessions(
  folder: string,
  processes: readonly RunningProcess[],
): Promise<WaylandAddress[]> {
  const found = new Map<string, WaylandAddress>()
  const counts = new Map<number, number>()
  const compositors = processes.filter(({ userId, program }) => userId !== 0 && compositor.test(program))
  for (const { id, userId, environment } of compositors) {
    const count = (counts.get(userId) ?? 0) + 1
    counts.set(userId, count)
    if (count > maxCompositorsOfUser) {
      continue
    }
    // Named by the compositor itself, as the paths are untrusted.
    const runtimeFolder = resolve(environment.get('XDG_RUNTIME_DIR') ?? `/run/user/${userId}`)
    const socket = (await readSocketPaths(folder, id))
      .filter((path) => dirname(path) === runtimeFolder)
      .map((path) => basename(path))
      .find((name) => socketName.test(name))
    const key = `${userId} ${runtimeFolder}/${socket}`
    if (socket === undefined || found.has(key)) {
      continue
    }
    const x11 = xwaylandOf(socket, userId, processes)
    found.set(key, {
      userId,
      socket,
      runtimeFolder,
      bus: environment.get('DBUS_SESSION_BUS_ADDRESS') ?? `unix:path=${runtimeFolder}/bus`,
      desktop: environment.get('XDG_CURRENT_DESKTOP') ?? '',
      ...(x11 && { x11 }),
    })
  }
  return [...found.values()]
}

/** Variables of programs in this session. */
export const variablesOfSession = ({
  socket,
  runtimeFolder,
  bus,
  desktop,
  x11,
}: WaylandAddress): Record<string, string> => ({
  WAYLAND_DISPLAY: socket,
  XDG_RUNTIME_DIR: runtimeFolder,
  DBUS_SESSION_BUS_ADDRESS: bus,
  XDG_SESSION_TYPE: 'wayland',
  XDG_CURRENT_DESKTOP: desktop,
  ...(x11 && { DISPLAY: x11.display }),
  ...(x11?.authorityFile !== undefined && { XAUTHORITY: x11.authorityFile }),
})
