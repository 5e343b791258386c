import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { textOf } from '../../../base/errors.ts'
import type { DesktopDescription } from '../../found-desktop.ts'
import { Connection, connectTimeoutMs, type DisplayAddress } from '../x11/connection.ts'
import { numbersOfWayland, numberOfX11, x11Display } from './numbers.ts'
import { accountFinder, listLogins, type FindAccount, type Login } from './logins.ts'
import { listProcesses, readSocketPaths, type RunningProcess } from './running-processes.ts'
import { findWaylandSessions, type WaylandAddress } from '../wayland/sessions.ts'

/** Desktop of this machine, whether it can be shown or not. */
export interface LinuxDesktop extends DesktopDescription {
  /** Address for opening a desktop of X11; null if that is not possible. */
  address: DisplayAddress | null
  /** Address of a Wayland session that can be opened. */
  wayland?: WaylandAddress
  /** Reason why the desktop cannot be opened; empty otherwise. */
  obstacle: string
}

/** Paths that discovery reads. */
export interface Places {
  sockets: string
  processes: string
  logins: string
}

const linuxPlaces: Places = { sockets: '/tmp/.X11-unix', processes: '/proc', logins: '/run/systemd/sessions' }

const waylandGreeter =
  'Wayland shows its sign-in screen to no program. Sign in at the device, or choose "Xorg" for the sign-in screen.'
const unknownCompositor =
  'The program that draws this Wayland desktop is unknown to this agent, or hidden from it. Choose "Xorg" when signing in.'
const serverProgram = /^(X|Xorg|Xorg\.bin|Xvfb|Xvnc|Xtigervnc|Xtightvnc|Xephyr|Xwayland)$/
const greeterUser = /^(gdm|gdm3|Debian-gdm|lightdm|sddm|lxdm|xdm|greeter|_greetd|greetd)$/

/** Limit for displays owned by root: Xorg often runs as root, once for each person. */
const maxDisplaysOfRoot = 100
/**
 * Limit for displays of one user: each display that opens costs a process of about 60 MB, and any user can create
 * displays (T37).
 */
const maxDisplaysOfUser = 8
const maxNameLength = 100
/** Limit for inspected programs of one user on one display; more programs add no information. */
const maxClientsOfUser = 20
/** Limit for users per display whose programs are inspected. */
const maxUsersOfDisplay = 8

const displayOf = (value: string) => /^(:\d+)(\.\d+)?$/.exec(value)?.[1]

/** Program on a display, with its user and Xauthority file. */
interface Client {
  userId: number
  authorityFile: string | undefined
  desktop: string
}

function findClients(processes: readonly RunningProcess[], owners: ReadonlyMap<string, number>) {
  const clients = new Map<string, Client[]>()
  for (const { userId, environment } of processes) {
    const display = displayOf(environment.get('DISPLAY') ?? '')
    const others = clients.get(display ?? '') ?? []
    const hasRoom = others.filter((other) => other.userId === userId).length < maxClientsOfUser
    if (display !== undefined && owners.has(display) && hasRoom) {
      const client = {
        userId,
        authorityFile: environment.get('XAUTHORITY'),
        desktop: environment.get('XDG_CURRENT_DESKTOP') ?? '',
      }
      clients.set(display, [...others, client])
    }
  }
  return clients
}

/**
 * Owner of each display, by the display's name. Any user can create any number of displays; displays beyond the limit
 * are ignored.
 */
async function findOwners(sockets: string): Promise<ReadonlyMap<string, number>> {
  const names = (await readdir(sockets).catch(() => [])).filter(
    (name) => name.startsWith('X') && x11Display.test(name.slice(1)),
  )
  const owners = new Map<string, number>()
  const counts = new Map<number, number>()
  for (const name of names.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)))) {
    const owner = (await lstat(join(sockets, name)).catch(() => undefined))?.uid
    const count = (counts.get(owner ?? 0) ?? 0) + 1
    if (owner !== undefined && count <= (owner === 0 ? maxDisplaysOfRoot : maxDisplaysOfUser)) {
      counts.set(owner, count)
      owners.set(`:${name.slice(1)}`, owner)
    }
  }
  return owners
}

/**
 * Finds the display server of each display. Any program can use the name of a display server: only a process of root or
 * of the socket's owner counts.
 */
async function findServers(
  { processes: folder, sockets }: Places,
  processes: readonly RunningProcess[],
  owners: ReadonlyMap<string, number>,
) {
  const servers = new Map<string, RunningProcess>()
  for (const server of processes.filter(({ program }) => serverProgram.test(program))) {
    const named = server.arguments.map(displayOf).find((display) => display !== undefined)
    // A server that chooses its own number does not have the number on its command line.
    const paths = named === undefined ? await readSocketPaths(folder, server.id) : []
    const socket = paths.find((path) => path.startsWith(join(sockets, 'X')))
    const display = named ?? (socket && `:${socket.slice(join(sockets, 'X').length)}`)
    if (display !== undefined && (server.userId === 0 || server.userId === owners.get(display))) {
      servers.set(display, server)
    }
  }
  return servers
}

/**
 * Users who may work on a display, most likely first. A display created by a user belongs to that user, whichever
 * programs connect; otherwise to the user of its login, or to one of the users of its programs, root only as the last
 * choice.
 */
function usersOf(owner: number, login: Login | undefined, clients: readonly Client[]): [number, ...number[]] {
  const counts = new Map<number, number>()
  for (const { userId } of owner === 0 && !login ? clients : []) {
    counts.set(userId, (counts.get(userId) ?? 0) + (userId === 0 ? 0.001 : 1))
  }
  const [most, ...others] = [...counts].toSorted(([, a], [, b]) => b - a).map(([userId]) => userId)
  return [most ?? (owner === 0 && login ? login.userId : owner), ...others.slice(0, maxUsersOfDisplay)]
}

/** Returns undefined when the display opens; otherwise the reason. */
async function problemOf(address: DisplayAddress, userId: number, deadline: AbortSignal): Promise<string | undefined> {
  try {
    const connection = await Connection.open(address, userId, deadline)
    connection.close()
    return undefined
  } catch (error) {
    return textOf(error)
  }
}

/**
 * Returns the first credentials that the display server accepts and their user; otherwise the reason. Each user is
 * tried only with the user's own files, because any user can listen as a display server (T32). All files share one
 * deadline: an unresponsive display server would take the full time for each file (T37).
 */
async function tryOpening(
  display: string,
  [likely, ...others]: [number, ...number[]],
  filesOf: (userId: number) => Promise<readonly string[]>,
  deadline: AbortSignal,
) {
  for (const userId of [likely, ...others]) {
    for (const authorityFile of new Set(await filesOf(userId))) {
      const address = { display, authorityFile }
      if ((await problemOf(address, userId, deadline)) === undefined) {
        return { userId, address, obstacle: '' }
      }
    }
  }
  const obstacle = await problemOf({ display }, likely, deadline)
  return { userId: likely, address: obstacle === undefined ? { display } : null, obstacle: obstacle ?? '' }
}

async function describe(
  display: string,
  owner: number,
  server: RunningProcess | undefined,
  clients: readonly Client[],
  logins: readonly Login[],
  sessions: readonly WaylandAddress[],
  findAccount: FindAccount,
  deadlineMs: number,
): Promise<LinuxDesktop | null> {
  const login = logins.find((candidate) => displayOf(candidate.display) === display)
  const users = usersOf(owner, login, clients)
  // Before its first X11 program, a display of Wayland has no server. Any user can run programs that name the display of
  // another user (T37).
  const ofUser = sessions.filter(({ userId }) => userId === users[0])
  const isOfWayland =
    server?.program === 'Xwayland' ||
    login?.type === 'wayland' ||
    (!server && ofUser.some(({ x11 }) => x11?.display === display))
  if (isOfWayland && [...ofUser, ...logins.filter(isWayland)].some(({ userId }) => userId === users[0])) {
    // Xwayland display: the Wayland session itself is listed, and its X11 programs draw here.
    return null
  }
  const authorityAt = server?.arguments.indexOf('-auth') ?? -1
  const filesOf = async (userId: number) =>
    [
      ...clients.filter((client) => client.userId === userId).map(({ authorityFile }) => authorityFile),
      `/run/user/${userId}/gdm/Xauthority`,
      join((await findAccount(userId)).home || '/', '.Xauthority'),
      // Often readable by root only, while the desktop's process runs as its user.
      authorityAt < 0 ? undefined : server?.arguments[authorityAt + 1],
    ].filter((file): file is string => file !== undefined && file !== '')
  const { userId, ...opened } = isOfWayland
    ? { userId: users[0], address: null, obstacle: unknownCompositor }
    : await tryOpening(display, users, filesOf, AbortSignal.timeout(deadlineMs))
  const { username } = await findAccount(userId)
  const named = clients.find((client) => client.userId === userId && client.desktop !== '')
  const found = {
    name: `Console - X11: ${display}`,
    desktopName: (login?.desktop || named?.desktop || '').slice(0, maxNameLength),
    username,
    systemSessionId: numberOfX11(display),
    type: 0 as const,
    isSignedIn: !(login?.isGreeter ?? greeterUser.test(username)),
  }
  // A killed display server leaves its socket behind.
  return isOfWayland || server || opened.address ? { ...found, ...opened } : null
}

const isWayland = ({ type }: Login) => type === 'wayland'

/** Describes a Wayland session, or a login whose session was not found. */
async function describeWayland(
  systemSessionId: number,
  userId: number,
  session: WaylandAddress | undefined,
  login: Login | undefined,
  findAccount: FindAccount,
): Promise<LinuxDesktop> {
  const username = login?.username ?? (await findAccount(userId)).username
  const isGreeter = login?.isGreeter ?? greeterUser.test(username)
  const socket = session && session.socket !== 'wayland-0' ? ` ${session.socket}` : ''
  const obstacle = isGreeter ? waylandGreeter : session ? '' : unknownCompositor
  return {
    name: `Console - Wayland: ${username}${socket}`,
    desktopName: (login?.desktop || session?.desktop || '').slice(0, maxNameLength),
    username,
    systemSessionId,
    type: 0,
    isSignedIn: !isGreeter,
    address: null,
    ...(session && !obstacle && { wayland: session }),
    obstacle,
  }
}

function describeAllWayland(sessions: readonly WaylandAddress[], logins: readonly Login[], findAccount: FindAccount) {
  const ofWayland = logins.filter(isWayland)
  const hidden = ofWayland.filter((login) => sessions.every(({ userId }) => userId !== login.userId))
  const all = [
    ...sessions.map((session) => ({
      userId: session.userId,
      session,
      login: ofWayland.find(({ userId }) => userId === session.userId),
    })),
    ...hidden.map((login) => ({ userId: login.userId, session: undefined, login })),
  ]
  const numbers = numbersOfWayland(all.map(({ userId, session }) => ({ userId, socket: session?.socket ?? '' })))
  return all.map(({ userId, session, login }, index) =>
    describeWayland(numbers[index]!, userId, session, login, findAccount).catch(() => null),
  )
}

/**
 * Discovers the desktops of this machine and yields each as soon as it is known; null for none. A desktop that fails or
 * hangs does not hide the others.
 */
export async function discoverDesktops(
  places: Places = linuxPlaces,
  deadlineMs: number = connectTimeoutMs,
): Promise<readonly Promise<LinuxDesktop | null>[]> {
  const [owners, processes, logins] = await Promise.all([
    findOwners(places.sockets),
    listProcesses(places.processes),
    listLogins(places.logins),
  ])
  const clients = findClients(processes, owners)
  const [servers, sessions] = await Promise.all([
    findServers(places, processes, owners),
    findWaylandSessions(places.processes, processes),
  ])
  const findAccount = accountFinder()
  const found = [...owners].map(([display, owner]) => {
    const programs = [servers.get(display), clients.get(display) ?? []] as const
    return describe(display, owner, ...programs, logins, sessions, findAccount, deadlineMs).catch(() => null)
  })
  return [...found, ...describeAllWayland(sessions, logins, findAccount)]
}
