import { common, type Address, type Out } from './library.ts'
import { processthreadsapi } from './win32/processthreadsapi.ts'
import { winbase } from './win32/winbase.ts'
import { connectState, sessionInformation, wtsapi32 } from './win32/wtsapi32.ts'

export interface WindowsSession {
  id: number
  /** User name; empty if no user is signed in. */
  user: string
  /** Station name, such as `Console` or `RDP-Tcp#3`. */
  station: string
  isRemote: boolean
  /** Whether the screen is in use, at the device or by Remote Desktop. */
  isConnected: boolean
  /** Undefined if Windows does not report the state. */
  isLocked: boolean | undefined
}

const remoteDesktop = 2
/**
 * Offset of the flags in `WTSINFOEXW`: the level comes first; the rest is aligned to 8 bytes: session, state, flags.
 */
const flagsAt = 16
/** Session 0 belongs to services, which have no screen. */
const serviceSession = 0
/** Maximum number of sessions: a user may open many by Remote Desktop. */
const maxSessions = 50

const textOf = (value: Buffer) => value.toString('utf16le').replace(/\0.*$/s, '')
const lockOf = (details: Buffer) => {
  const flags = details.length >= flagsAt + 4 ? details.readInt32LE(flagsAt) : -1
  return flags === 0 ? true : flags === 1 ? false : undefined
}

export async function ownSession(): Promise<number> {
  const id: Out<number> = [serviceSession]
  const { processIdToSessionId } = await processthreadsapi()
  return processIdToSessionId(process.pid, id) ? id[0] : serviceSession
}

/** Lists interactive sessions, including a console without a signed-in user. */
export async function listSessions(): Promise<WindowsSession[]> {
  const [{ koffi }, wts, { wtsGetActiveConsoleSessionId }, own] = await Promise.all([
    common(),
    wtsapi32(),
    winbase(),
    ownSession(),
  ])
  const read = (session: number, what: number): Buffer => {
    const [value, byteCount]: [Out<Address>, Out<number>] = [[null], [0]]
    if (!wts.wtsQuerySessionInformation(0, session, what, value, byteCount) || !value[0]) {
      return Buffer.alloc(0)
    }
    try {
      return Buffer.from(Buffer.from(koffi.view(value[0], byteCount[0])))
    } finally {
      wts.wtsFreeMemory(value[0])
    }
  }
  const describe = (id: number, connection: number): WindowsSession => {
    const protocol = read(id, sessionInformation.protocol)
    return {
      id,
      user: textOf(read(id, sessionInformation.userName)),
      station:
        textOf(read(id, sessionInformation.stationName)) ||
        (id === wtsGetActiveConsoleSessionId() ? 'Console' : `Session ${id}`),
      isRemote: protocol.length >= 2 && protocol.readUInt16LE() === remoteDesktop,
      isConnected: connection === connectState.active || connection === connectState.connected,
      isLocked: lockOf(read(id, sessionInformation.details)),
    }
  }
  const [list, count]: [Out<Address>, Out<number>] = [[null], [0]]
  const found = new Map<number, number>()
  if (wts.wtsEnumerateSessions(0, 0, 1, list, count) && list[0]) {
    const entries: { id: number; state: number }[] =
      count[0] > 0 ? koffi.decode(list[0], 'WTS_SESSION_INFOW', count[0]) : []
    wts.wtsFreeMemory(list[0])
    entries
      .filter((entry) => entry.state !== connectState.listening)
      .forEach((entry) => found.set(entry.id, entry.state))
  }
  // The current session certainly exists, even if it is not listed.
  if (!found.has(own)) {
    found.set(own, connectState.active)
  }
  found.delete(serviceSession)
  return [...found]
    .slice(0, maxSessions)
    .map(([id, connection]) => describe(id, connection))
    .filter(({ user, isConnected }) => user !== '' || isConnected)
}
