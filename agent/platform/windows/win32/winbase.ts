import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Address, Handle, Out } from '../library.ts'

interface WinBase {
  registerEventSource: (server: null, source: string) => Handle
  reportEvent: (
    log: Handle,
    type: number,
    category: number,
    id: number,
    user: null,
    textCount: number,
    dataBytes: number,
    texts: string[],
    data: null,
  ) => boolean
  deregisterEventSource: (log: Handle) => boolean
  getNamedPipeClientProcessId: (pipe: Handle, processId: Out<number>) => boolean
  wtsGetActiveConsoleSessionId: () => number
  globalAlloc: (flags: number, size: number) => Handle
  globalLock: (memory: Handle) => Address
  globalUnlock: (memory: Handle) => boolean
  globalSize: (memory: Handle) => number
  globalFree: (memory: Handle) => Handle
  getFirmwareType: (type: Out<number>) => boolean
  lookupPrivilegeValue: (system: null, name: string, identifier: Buffer) => boolean
  logonUser: (name: string, domain: string, password: null, kind: number, provider: 0, token: Out<Handle>) => boolean
}

/** `FirmwareTypeUefi` of `GetFirmwareType`. */
export const firmwareUefi = 2

/** `LOGON32_LOGON_SERVICE` */
export const serviceLogon = 5

export const winbase = nativeFunctions((koffi): WinBase => {
  const [kernel32, advapi32] = [koffi.load('kernel32.dll'), koffi.load('advapi32.dll')]
  return {
    registerEventSource: advapi32.func('intptr __stdcall RegisterEventSourceW(str16 server, str16 source)'),
    reportEvent: advapi32.func(
      'bool __stdcall ReportEventW(intptr log, uint16 type, uint16 category, uint32 id, void *user, uint16 textCount, uint32 dataBytes, str16 *texts, void *data)',
    ),
    deregisterEventSource: advapi32.func('bool __stdcall DeregisterEventSource(intptr log)'),
    getNamedPipeClientProcessId: kernel32.func(
      'bool __stdcall GetNamedPipeClientProcessId(intptr pipe, _Out_ uint32 *process)',
    ),
    wtsGetActiveConsoleSessionId: kernel32.func('uint32 __stdcall WTSGetActiveConsoleSessionId()'),
    lookupPrivilegeValue: advapi32.func(
      'bool __stdcall LookupPrivilegeValueW(str16 system, str16 name, void *identifier)',
    ),
    logonUser: advapi32.func(
      'bool __stdcall LogonUserW(str16 name, str16 domain, str16 password, uint32 kind, uint32 provider, _Out_ intptr *token)',
    ),
    globalAlloc: kernel32.func('intptr __stdcall GlobalAlloc(uint32 flags, size_t size)'),
    globalLock: kernel32.func('void *__stdcall GlobalLock(intptr memory)'),
    globalUnlock: kernel32.func('bool __stdcall GlobalUnlock(intptr memory)'),
    globalSize: kernel32.func('size_t __stdcall GlobalSize(intptr memory)'),
    globalFree: kernel32.func('intptr __stdcall GlobalFree(intptr memory)'),
    // Bound at the call: Wine 8 has no such function.
    getFirmwareType: (type) => kernel32.func('bool __stdcall GetFirmwareType(_Out_ uint32 *type)')(type) as boolean,
  }
})
