import { deferred } from '../../../shared/deferred.ts'
import { nativeFunctions } from '../../base/native-functions.ts'
import type { Address, Handle, Out } from './library.ts'

/** Members of `PROCESS_INFORMATION`. */
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

/** Functions of Windows that create and watch processes. */
export const processFunctions = nativeFunctions((koffi) => {
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
    create: kernel32.func(`bool __stdcall CreateProcessW(${parameters})`) as (...creation: Creation) => boolean,
    createAs: advapi32.func(`bool __stdcall CreateProcessAsUserW(intptr token, ${parameters})`) as (
      token: Handle,
      ...creation: Creation
    ) => boolean,
    wait: kernel32.func('uint32 __stdcall WaitForSingleObject(intptr handle, uint32 ms)') as (
      handle: Handle,
      ms: number,
    ) => number,
    statusOf: kernel32.func('bool __stdcall GetExitCodeProcess(intptr process, _Out_ uint32 *status)') as (
      process: Handle,
      status: Out<number>,
    ) => boolean,
    terminate: kernel32.func('bool __stdcall TerminateProcess(intptr process, uint32 status)') as (
      process: Handle,
      status: number,
    ) => boolean,
    startupSize: koffi.sizeof(startup),
  }
})

const signaled = 0
const lookEveryMs = 500

/**
 * Keeps the handle open until the process has ended, so that Windows does not reuse the process id. `isAwaited` keeps
 * this program running until then.
 */
export async function superviseProcess(
  handle: Handle,
  close: (handle: Handle) => boolean,
  isAwaited: boolean,
): Promise<{ ended: Promise<number>; kill: () => void }> {
  const { wait, statusOf, terminate } = await processFunctions()
  const { promise: ended, resolve } = deferred<number>()
  let isOver = false
  const looking = setInterval(() => {
    if (wait(handle, 0) === signaled) {
      const status: Out<number> = [0]
      statusOf(handle, status)
      isOver = true
      clearInterval(looking)
      close(handle)
      resolve(status[0])
    }
  }, lookEveryMs)
  if (!isAwaited) {
    looking.unref()
  }
  return { ended, kill: () => void (isOver || terminate(handle, 1)) }
}
