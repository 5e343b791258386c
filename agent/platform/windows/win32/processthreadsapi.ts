import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Address, Handle, Out } from '../library.ts'

export interface ProcessInformation {
  process: Handle
  thread: Handle
  processId: number
  threadId: number
}

type Creation = [
  program: string,
  commandLine: string,
  processSecurity: null,
  threadSecurity: null,
  isInheriting: boolean,
  flags: number,
  environment: Address,
  folder: string,
  startup: object,
  information: Partial<ProcessInformation>,
]

export const creation = { breakaway: 0x100_0000, unicodeEnvironment: 0x400, noWindow: 0x800_0000 } as const

interface ProcessThreadsApi {
  startupSize: number
  createProcess: (...creation: Creation) => boolean
  createProcessAsUser: (token: Handle, ...creation: Creation) => boolean
  getExitCodeProcess: (process: Handle, status: Out<number>) => boolean
  terminateProcess: (process: Handle, status: number) => boolean
  getCurrentProcess: () => Handle
  openProcessToken: (process: Handle, access: number, token: Out<Handle>) => boolean
  processIdToSessionId: (processId: number, session: Out<number>) => boolean
}

export const processthreadsapi = nativeFunctions((koffi): ProcessThreadsApi => {
  const startup = koffi.struct('STARTUPINFOW', {
    length: 'uint32',
    reserved: 'void *',
    desktop: 'str16',
    title: 'void *',
    position: koffi.array('uint32', 7),
    flags: 'uint32',
    show: 'uint16',
    reservedLength: 'uint16',
    moreReserved: 'void *',
    streams: koffi.array('intptr', 3),
  })
  koffi.struct('PROCESS_INFORMATION', { process: 'intptr', thread: 'intptr', processId: 'uint32', threadId: 'uint32' })
  const [kernel32, advapi32] = [koffi.load('kernel32.dll'), koffi.load('advapi32.dll')]
  const parameters =
    'str16 program, str16 commandLine, void *processSecurity, void *threadSecurity, bool inherit, uint32 flags, ' +
    'void *environment, str16 folder, STARTUPINFOW *startup, _Out_ PROCESS_INFORMATION *information'
  return {
    startupSize: koffi.sizeof(startup),
    createProcess: kernel32.func(`bool __stdcall CreateProcessW(${parameters})`),
    createProcessAsUser: advapi32.func(`bool __stdcall CreateProcessAsUserW(intptr token, ${parameters})`),
    getExitCodeProcess: kernel32.func('bool __stdcall GetExitCodeProcess(intptr process, _Out_ uint32 *status)'),
    terminateProcess: kernel32.func('bool __stdcall TerminateProcess(intptr process, uint32 status)'),
    getCurrentProcess: kernel32.func('intptr __stdcall GetCurrentProcess()'),
    openProcessToken: advapi32.func(
      'bool __stdcall OpenProcessToken(intptr process, uint32 access, _Out_ intptr *token)',
    ),
    processIdToSessionId: kernel32.func('bool __stdcall ProcessIdToSessionId(uint32 process, _Out_ uint32 *session)'),
  }
})
