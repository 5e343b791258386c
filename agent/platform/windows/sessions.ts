import { nativeFunctions } from '../../base/native-functions.ts'
import { common, type Address, type Handle, type Out } from './library.ts'

/** Interactive session of Windows. */
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

interface WtsFunctions {
  enumerate: (server: 0, reserved: 0, version: 1, list: Out<Address>, count: Out<number>) => boolean
  query: (server: 0, session: number, kind: number, value: Out<Address>, byteCount: Out<number>) => boolean
  free: (memory: Address) => void
  sessionOf: (processId: number, session: Out<number>) => boolean
  consoleSession: () => Handle
}

const functions = nativeFunctions((koffi): WtsFunctions => {
  koffi.struct('WTS_SESSION_INFOW', { id: 'uint32', station: 'str16', state: 'int' })
  const [wtsapi32, kernel32] = [koffi.load('wtsapi32.dll'), koffi.load('kernel32.dll')]
  return {
    enumerate: wtsapi32.func(
      'bool __stdcall WTSEnumerateSessionsW(intptr server, uint32 reserved, uint32 version, _Out_ void **list, _Out_ uint32 *count)',
    ),
    query: wtsapi32.func(
      'bool __stdcall WTSQuerySessionInformationW(intptr server, uint32 session, int kind, _Out_ void **value, _Out_ uint32 *bytes)',
    ),
    free: wtsapi32.func('void __stdcall WTSFreeMemory(void *memory)'),
    sessionOf: kernel32.func('bool __stdcall ProcessIdToSessionId(uint32 process, _Out_ uint32 *session)'),
    consoleSession: kernel32.func('uint32 __stdcall WTSGetActiveConsoleSessionId()'),
  }
})

/** `WTS_CONNECTSTATE_CLASS` */
const state = { active: 0, connected: 1, listening: 6 } as const
/** `WTS_INFO_CLASS` */
const kind = { userName: 5, stationName: 6, protocol: 16, details: 25 } as const
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

/** Id of the session of this process. */
export async function ownSession(): Promise<number> {
  const id: Out<number> = [serviceSession]
  const { sessionOf } = await functions()
  return sessionOf(process.pid, id) ? id[0] : serviceSession
}

/** Lists interactive sessions, including a console without a signed-in user. */
export async function listSessions(): Promise<WindowsSession[]> {
  const [{ koffi }, wts, own] = await Promise.all([common(), functions(), ownSession()])
  const read = (session: number, what: number): Buffer => {
    const [value, byteCount]: [Out<Address>, Out<number>] = [[null], [0]]
    if (!wts.query(0, session, what, value, byteCount) || !value[0]) {
      return Buffer.alloc(0)
    }
    try {
      return Buffer.from(Buffer.from(koffi.view(value[0], byteCount[0])))
    } finally {
      wts.free(value[0])
    }
  }
  const describe = (id: number, connection: number): WindowsSession => {
    const protocol = read(id, kind.protocol)
    return {
      id,
      user: textOf(read(id, kind.userName)),
      station: textOf(read(id, kind.stationName)) || (id === wts.consoleSession() ? 'Console' : `Session ${id}`),
      isRemote: protocol.length >= 2 && protocol.readUInt16LE() === remoteDesktop,
      isConnected: connection === state.active || connection === state.connected,
      isLocked: lockOf(read(id, kind.details)),
    }
  }
  const [list, count]: [Out<Address>, Out<number>] = [[null], [0]]
  const found = new Map<number, number>()
  if (wts.enumerate(0, 0, 1, list, count) && list[0]) {
    const entries: { id: number; state: number }[] =
      count[0] > 0 ? koffi.decode(list[0], 'WTS_SESSION_INFOW', count[0]) : []
    wts.free(list[0])
    entries.filter((entry) => entry.state !== state.listening).forEach((entry) => found.set(entry.id, entry.state))
  }
  // The current session certainly exists, even if it is not listed.
  if (!found.has(own)) {
    found.set(own, state.active)
  }
  found.delete(serviceSession)
  return [...found]
    .slice(0, maxSessions)
    .map(([id, connection]) => describe(id, connection))
    .filter(({ user, isConnected }) => user !== '' || isConnected)
}
