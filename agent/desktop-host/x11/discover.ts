import { createHash } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { textOf } from '../../base/errors.ts'
import type { DesktopDescription } from '../found-desktop.ts'
import { Connection, connectTimeoutMs, type DisplayAddress } from '../../desktop/x11/connection.ts'
import { findAccount, listLogins, type Login } from './logins.ts'
import { listProcesses, readSocketPaths, type RunningProcess } from './running-processes.ts'

/** A desktop of this machine, whether it can be shown or not. */
export interface X11Desktop extends DesktopDescription {
  /** How to open it; null where that cannot be done. */
  address: DisplayAddress | null
  /** Why it cannot be opened; empty where it can. */
  obstacle: string
}

/** Where the system keeps what is looked at. */
export interface Places {
  sockets: string
  processes: string
  logins: string
}

const linuxPlaces: Places = { sockets: '/tmp/.X11-unix', processes: '/proc', logins: '/run/systemd/sessions' }

const wayland =
  'Wayland lets no program see or control the whole screen. Choose "Xorg" when signing in, or turn Wayland off.'
const serverProgram = /^(X|Xorg|Xorg\.bin|Xvfb|Xvnc|Xtigervnc|Xtightvnc|Xephyr|Xwayland)$/
const greeterUser = /^(gdm|gdm3|Debian-gdm|lightdm|sddm|lxdm|xdm|greeter|_greetd|greetd)$/

/** Displays of root: Xorg often runs as root, one for each person. */
const maxDisplaysOfRoot = 100
/** Each display that opens costs a process of about 60 MB, and any user can put up displays (T37). */
const maxDisplaysOfUser = 8
const maxNameLength = 100
/** Programs of one user on one display; more of them say nothing new. */
const maxClientsOfUser = 20
/** Whose programs are on a display besides those of the most frequent user. */
const maxUsersOfDisplay = 8

const foldNumber = (text: string) => 1_000 + (createHash('sha256').update(text).digest().readUInt32BE(0) % 9_000)

const displayOf = (value: string) => /^(:\d+)(\.\d+)?$/.exec(value)?.[1]

/** What the programs on one display tell about it. */
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

/** Who put up each display, by its name. Any user can put up any number of them; beyond some, they are not looked at. */
async function findOwners(sockets: string): Promise<ReadonlyMap<string, number>> {
  const names = (await readdir(sockets).catch(() => [])).filter((name) => /^X\d+$/.test(name))
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

/** The display server behind each display. Any program can have the name of one: it counts if it could be this one. */
async function findServers(
  { processes: folder, sockets }: Places,
  processes: readonly RunningProcess[],
  owners: ReadonlyMap<string, number>,
) {
  const servers = new Map<string, RunningProcess>()
  for (const server of processes.filter(({ program }) => serverProgram.test(program))) {
    const named = server.arguments.map(displayOf).find((display) => display !== undefined)
    // A server that picks its number itself does not have it on its command line.
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
 * Who may work on a display, most likely first. One that a user put up is that user's, whoever's programs go there; else it
 * is the login's that has it, or of one of the users of its programs, root only if there is nobody else.
 */
function usersOf(owner: number, login: Login | undefined, clients: readonly Client[]): [number, ...number[]] {
  const counts = new Map<number, number>()
  for (const { userId } of owner === 0 && !login ? clients : []) {
    counts.set(userId, (counts.get(userId) ?? 0) + (userId === 0 ? 0.001 : 1))
  }
  const [most, ...others] = [...counts].toSorted(([, a], [, b]) => b - a).map(([userId]) => userId)
  return [most ?? (owner === 0 && login ? login.userId : owner), ...others.slice(0, maxUsersOfDisplay)]
}

/** Undefined when it opens; otherwise why it does not. */
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
 * The first way that the display server accepts, and for whom; otherwise why it did not. A user comes in by files of
 * their own alone: what we can read and they cannot is not theirs, and any user can listen as a display server (T32). One
 * deadline for all files: a display server that never answers would take that time for each of them (T37).
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
  deadlineMs: number,
): Promise<X11Desktop | null> {
  const login = logins.find((candidate) => displayOf(candidate.display) === display)
  const users = usersOf(owner, login, clients)
  const isOfWayland = server?.program === 'Xwayland' || login?.type === 'wayland'
  if (isOfWayland && logins.some(({ type, userId }) => type === 'wayland' && userId === users[0])) {
    // The session itself is listed; this is where its older programs draw.
    return null
  }
  const authorityAt = server?.arguments.indexOf('-auth') ?? -1
  const filesOf = async (userId: number) =>
    [
      ...clients.filter((client) => client.userId === userId).map(({ authorityFile }) => authorityFile),
      `/run/user/${userId}/gdm/Xauthority`,
      join((await findAccount(userId)).home || '/', '.Xauthority'),
      // Often root's alone: who serves this desktop runs as its user.
      authorityAt < 0 ? undefined : server?.arguments[authorityAt + 1],
    ].filter((file): file is string => file !== undefined && file !== '')
  const { userId, ...opened } = isOfWayland
    ? { userId: users[0], address: null, obstacle: wayland }
    : await tryOpening(display, users, filesOf, AbortSignal.timeout(deadlineMs))
  const { username } = await findAccount(userId)
  const named = clients.find((client) => client.userId === userId && client.desktop !== '')
  const found = {
    name: `Console - X11: ${display}`,
    desktopName: (login?.desktop || named?.desktop || '').slice(0, maxNameLength),
    username,
    systemSessionId: foldNumber(display),
    type: 0 as const,
    isSignedIn: !(login?.isGreeter ?? greeterUser.test(username)),
  }
  // A display server that was killed leaves its socket behind.
  return isOfWayland || server || opened.address ? { ...found, ...opened } : null
}

const describeWayland = ({ username, userId, isGreeter, desktop }: Login): X11Desktop => ({
  name: `Console - Wayland: ${username}`,
  desktopName: desktop,
  username,
  systemSessionId: foldNumber(`wayland ${userId}`),
  type: 0,
  isSignedIn: !isGreeter,
  address: null,
  obstacle: wayland,
})

/** The desktops of this machine, each as soon as it is known; null for none. A desktop that cannot be opened, or that does not answer, does not hide the others. */
export async function discoverDesktops(
  places: Places = linuxPlaces,
  deadlineMs: number = connectTimeoutMs,
): Promise<readonly Promise<X11Desktop | null>[]> {
  const [owners, processes, logins] = await Promise.all([
    findOwners(places.sockets),
    listProcesses(places.processes),
    listLogins(places.logins),
  ])
  const clients = findClients(processes, owners)
  const servers = await findServers(places, processes, owners)
  const found = [...owners].map(([display, owner]) =>
    describe(display, owner, servers.get(display), clients.get(display) ?? [], logins, deadlineMs).catch(() => null),
  )
  const waylandLogins = logins.filter(({ type }) => type === 'wayland')
  return [...found, ...waylandLogins.map(async (login) => describeWayland(login))]
}
