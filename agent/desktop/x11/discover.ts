import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { textOf } from '../../errors.ts'
import { Connection, type DisplayAddress } from './connection.ts'
import { findAccount, listLogins, type Login } from './logins.ts'
import { listProcesses, readEnvironment, readSocketPaths, type RunningProcess } from './running-processes.ts'

/** A desktop of this machine, whether it can be shown or not. */
export interface FoundDesktop {
  /** For people: `Console - X11: :0`. */
  name: string
  /** Of the desktop environment, where it says so. */
  desktopName: string
  username: string
  /** The same for as long as the display has this number. */
  systemSessionId: number
  /** False where the system waits for somebody to sign in. */
  isSignedIn: boolean
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

const foldNumber = (text: string) => 1_000 + (createHash('sha256').update(text).digest().readUInt32BE(0) % 9_000)

const displayOf = (value: string) => /^(:\d+)(\.\d+)?$/.exec(value)?.[1]

/** What the programs on one display tell about it. */
interface Client {
  userId: number
  authorityFile: string | undefined
  desktop: string
}

async function findClients(folder: string, processes: readonly RunningProcess[]) {
  const clients = new Map<string, Client[]>()
  for (const { id, userId } of processes) {
    const environment = await readEnvironment(folder, id)
    const display = displayOf(environment.get('DISPLAY') ?? '')
    if (display !== undefined) {
      const client = {
        userId,
        authorityFile: environment.get('XAUTHORITY'),
        desktop: environment.get('XDG_CURRENT_DESKTOP') ?? '',
      }
      clients.set(display, [...(clients.get(display) ?? []), client])
    }
  }
  return clients
}

/** The display server behind each display. */
async function findServers({ processes: folder, sockets }: Places, processes: readonly RunningProcess[]) {
  const servers = new Map<string, RunningProcess>()
  for (const server of processes.filter(({ program }) => serverProgram.test(program))) {
    const named = server.arguments.map(displayOf).find((display) => display !== undefined)
    // A server that picks its number itself does not have it on its command line.
    const paths = named === undefined ? await readSocketPaths(folder, server.id) : []
    const socket = paths.find((path) => path.startsWith(join(sockets, 'X')))
    const display = named ?? (socket && `:${socket.slice(join(sockets, 'X').length)}`)
    if (display !== undefined) {
      servers.set(display, server)
    }
  }
  return servers
}

/** Who works on a display: the most frequent user of its programs, root only if there is nobody else. */
function userOf(clients: readonly Client[], server: RunningProcess | undefined): number {
  const counts = new Map<number, number>()
  for (const { userId } of clients) {
    counts.set(userId, (counts.get(userId) ?? 0) + (userId === 0 ? 0.001 : 1))
  }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a)
  return most?.[0] ?? server?.userId ?? 0
}

/** The first way that the display server accepts; otherwise why it did not. */
async function tryOpening(display: string, authorityFiles: readonly string[]) {
  let obstacle = ''
  for (const authorityFile of [...new Set(authorityFiles), undefined]) {
    const address = { display, ...(authorityFile !== undefined && { authorityFile }) }
    try {
      const connection = await Connection.open(address)
      connection.close()
      return { address, obstacle: '' }
    } catch (error) {
      obstacle = textOf(error)
    }
  }
  return { address: null, obstacle }
}

async function describe(
  display: string,
  server: RunningProcess | undefined,
  clients: readonly Client[],
  logins: readonly Login[],
): Promise<FoundDesktop | null> {
  const login = logins.find((candidate) => displayOf(candidate.display) === display)
  const userId = login?.userId ?? userOf(clients, server)
  const { username, home } = await findAccount(userId)
  const isOfWayland = server?.program === 'Xwayland' || login?.type === 'wayland'
  if (isOfWayland && logins.some(({ type, userId: owner }) => type === 'wayland' && owner === userId)) {
    // The session itself is listed; this is where its older programs draw.
    return null
  }
  const found = {
    name: `Console - X11: ${display}`,
    desktopName: login?.desktop || clients.find(({ desktop }) => desktop !== '')?.desktop || '',
    username,
    systemSessionId: foldNumber(display),
    isSignedIn: !(login?.isGreeter ?? greeterUser.test(username)),
  }
  if (isOfWayland) {
    return { ...found, address: null, obstacle: wayland }
  }
  const authorityAt = server?.arguments.indexOf('-auth') ?? -1
  const ofUser = clients.filter((client) => client.userId === userId)
  const authorityFiles = [
    ...ofUser.map(({ authorityFile }) => authorityFile),
    `/run/user/${userId}/gdm/Xauthority`,
    home && join(home, '.Xauthority'),
    // Often root's alone: who serves this desktop runs as its user.
    authorityAt < 0 ? undefined : server?.arguments[authorityAt + 1],
  ].filter((file): file is string => file !== undefined && file !== '')
  const opened = await tryOpening(display, authorityFiles)
  // A display server that was killed leaves its socket behind.
  return server || opened.address ? { ...found, ...opened } : null
}

const describeWayland = ({ username, userId, isGreeter, desktop }: Login): FoundDesktop => ({
  name: `Console - Wayland: ${username}`,
  desktopName: desktop,
  username,
  systemSessionId: foldNumber(`wayland ${userId}`),
  isSignedIn: !isGreeter,
  address: null,
  obstacle: wayland,
})

/** The desktops of this machine. One that cannot be looked at does not hide the others. */
export async function discoverDesktops(places: Places = linuxPlaces): Promise<FoundDesktop[]> {
  const [names, processes, logins] = await Promise.all([
    readdir(places.sockets).catch(() => []),
    listProcesses(places.processes),
    listLogins(places.logins),
  ])
  const [servers, clients] = await Promise.all([
    findServers(places, processes),
    findClients(places.processes, processes),
  ])
  const displays = names
    .map((name) => /^X(\d+)$/.exec(name)?.[1])
    .filter((number) => number !== undefined)
    .toSorted((a, b) => Number(a) - Number(b))
    .map((number) => `:${number}`)
  const found = await Promise.all(
    displays.map((display) =>
      describe(display, servers.get(display), clients.get(display) ?? [], logins).catch(() => null),
    ),
  )
  const waylandLogins = logins.filter(({ type }) => type === 'wayland')
  return [...found.filter((desktop) => desktop !== null), ...waylandLogins.map(describeWayland)]
}
