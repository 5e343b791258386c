import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Address, Handle, Out } from '../library.ts'

/** `WTS_CONNECTSTATE_CLASS` */
export const connectState = { active: 0, connected: 1, listening: 6 } as const
/** `WTS_INFO_CLASS` */
export const sessionInformation = { userName: 5, stationName: 6, protocol: 16, details: 25 } as const

interface WtsApi {
  wtsEnumerateSessions: (server: 0, reserved: 0, version: 1, list: Out<Address>, count: Out<number>) => boolean
  wtsQuerySessionInformation: (
    server: 0,
    session: number,
    kind: number,
    value: Out<Address>,
    byteCount: Out<number>,
  ) => boolean
  wtsFreeMemory: (memory: Address) => void
  wtsDisconnectSession: (server: 0, session: number, waits: boolean) => boolean
  wtsLogoffSession: (server: 0, session: number, waits: boolean) => boolean
  wtsQueryUserToken: (session: number, token: Out<Handle>) => boolean
}

export const wtsapi32 = nativeFunctions((koffi): WtsApi => {
  koffi.struct('WTS_SESSION_INFOW', { id: 'uint32', station: 'str16', state: 'int' })
  const library = koffi.load('wtsapi32.dll')
  return {
    wtsEnumerateSessions: library.func(
      'bool __stdcall WTSEnumerateSessionsW(intptr server, uint32 reserved, uint32 version, _Out_ void **list, _Out_ uint32 *count)',
    ),
    wtsQuerySessionInformation: library.func(
      'bool __stdcall WTSQuerySessionInformationW(intptr server, uint32 session, int kind, _Out_ void **value, _Out_ uint32 *bytes)',
    ),
    wtsFreeMemory: library.func('void __stdcall WTSFreeMemory(void *memory)'),
    wtsDisconnectSession: library.func(
      'bool __stdcall WTSDisconnectSession(intptr server, uint32 session, bool waits)',
    ),
    wtsLogoffSession: library.func('bool __stdcall WTSLogoffSession(intptr server, uint32 session, bool waits)'),
    wtsQueryUserToken: library.func('bool __stdcall WTSQueryUserToken(uint32 session, _Out_ intptr *token)'),
  }
})
