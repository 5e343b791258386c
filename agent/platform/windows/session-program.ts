import { spawn } from 'node:child_process'
import { join } from 'node:path/win32'
import { environment } from '../../base/config.ts'
import { deferred } from '../../../shared/deferred.ts'
import type { StartedProcess } from '../found-desktop.ts'
import { watched } from '../spawned-process.ts'
import { UserError } from '../../base/errors.ts'
import type { CommandLine } from '../../base/command-line.ts'
import { quoteArgument } from './command-line.ts'
import { nativeFunctions } from '../../base/native-functions.ts'
import { common, reasonOf, type Address, type Handle, type Out } from './library.ts'

/** Started program without a channel. */
export interface Program extends Pick<StartedProcess, 'outputs' | 'ended'> {
  pid: number
  kill(): void
}

interface ProcessInformation {
  process: Handle
  thread: Handle
  processId: number
  threadId: number
}

interface ProcessFunctions {
  duplicate: (token: Handle, access: number, security: null, level: number, type: number, copy: Out<Handle>) => boolean
  environmentOf: (block: Out<Address>, token: Handle, isInherited: boolean) => boolean
  freeEnvironment: (block: Address) => boolean
  create: (
    token: Handle,
    program: string,
    commandLine: string,
    processSecurity: null,
    threadSecurity: null,
    isInheriting: boolean,
    flags: number,
    block: Address,
    folder: string,
    startup: object,
    information: Partial<ProcessInformation>,
  ) => boolean
  wait: (handle: Handle, ms: number) => number
  statusOf: (process: Handle, status: Out<number>) => boolean
  terminate: (process: Handle, status: number) => boolean
  startupSize: number
}

const functions = nativeFunctions((koffi): ProcessFunctions => {
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
  const [kernel32, advapi32, userenv] = [
    koffi.load('kernel32.dll'),
    koffi.load('advapi32.dll'),
    koffi.load('userenv.dll'),
  ]
  return {
    duplicate: advapi32.func(
      'bool __stdcall DuplicateTokenEx(intptr token, uint32 access, void *security, int level, int type, _Out_ intptr *copy)',
    ),
    environmentOf: userenv.func(
      'bool __stdcall CreateEnvironmentBlock(_Out_ void **block, intptr token, bool inherit)',
    ),
    freeEnvironment: userenv.func('bool __stdcall DestroyEnvironmentBlock(void *block)'),
    create: advapi32.func(
      'bool __stdcall CreateProcessAsUserW(intptr token, str16 program, str16 commandLine, void *processSecurity, void *threadSecurity, bool inherit, uint32 flags, void *block, str16 folder, STARTUPINFOW *startup, _Out_ PROCESS_INFORMATION *information)',
    ),
    wait: kernel32.func('uint32 __stdcall WaitForSingleObject(intptr handle, uint32 ms)'),
    statusOf: kernel32.func('bool __stdcall GetExitCodeProcess(intptr process, _Out_ uint32 *status)'),
    terminate: kernel32.func('bool __stdcall TerminateProcess(intptr process, uint32 status)'),
    startupSize: koffi.sizeof(startup),
  }
})

const systemFolder = join(environment.windows, 'System32')
const maximumAllowed = 0x200_0000
const identification = 1
const primaryToken = 1
const creation = { unicodeEnvironment: 0x400, noWindow: 0x800_0000 } as const
/** Window station and desktop of interactive users. */
const interactiveDesktop = 'winsta0\\default'
const signaled = 0
const lookEveryMs = 500

/** Starts a program in the current session as the current user. Rejects with a UserError. */
export async function startHere([program, ...args]: CommandLine): Promise<Program> {
  const child = spawn(program, args, { cwd: systemFolder, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
  const { pid, ...started } = watched(child)
  if (pid === undefined) {
    throw new UserError(`Its process did not start: ${await started.ended}.`)
  }
  return { ...started, pid, kill: () => void child.kill() }
}

/**
 * Starts a program as the user of a token, on the user's interactive desktop and with the user's environment. Inherits
 * nothing, because handles cannot cross sessions. Rejects with a UserError.
 */
export async function startAs(token: Handle, [program, ...args]: CommandLine): Promise<Program> {
  const [{ closeHandle, lastError }, api] = await Promise.all([common(), functions()])
  const refuse = () => {
    throw new UserError(`Windows did not start a program in this session: ${reasonOf(lastError())}.`)
  }
  const [copy, block]: [Out<Handle>, Out<Address>] = [[0], [null]]
  if (!api.duplicate(token, maximumAllowed, null, identification, primaryToken, copy)) {
    refuse()
  }
  try {
    if (!api.environmentOf(block, copy[0], false)) {
      refuse()
    }
    try {
      const information: Partial<ProcessInformation> = {}
      const commandLine = [program, ...args].map(quoteArgument).join(' ')
      const flags = creation.unicodeEnvironment | creation.noWindow
      const startup = { length: api.startupSize, desktop: interactiveDesktop }
      const isStarted = api.create(
        ...([copy[0], program, commandLine, null, null, false, flags] as const),
        ...([block[0], systemFolder, startup, information] as const),
      )
      if (!isStarted) {
        refuse()
      }
      const { process: handle = 0, thread = 0, processId = 0 } = information
      closeHandle(thread)
      return { pid: processId, outputs: Promise.resolve([]), ...keep(handle, closeHandle, api) }
    } finally {
      api.freeEnvironment(block[0])
    }
  } finally {
    closeHandle(copy[0])
  }
}

/** Keeps the handle open until the process has ended, so that Windows does not reuse the process id. */
function keep(handle: Handle, close: (handle: Handle) => boolean, { wait, statusOf, terminate }: ProcessFunctions) {
  const { promise: ended, resolve } = deferred<string>()
  let isOver = false
  const looking = setInterval(() => {
    if (wait(handle, 0) === signaled) {
      const status: Out<number> = [0]
      statusOf(handle, status)
      isOver = true
      clearInterval(looking)
      close(handle)
      resolve(`status ${status[0]}`)
    }
  }, lookEveryMs)
  return { ended, kill: () => void (isOver || terminate(handle, 1)) }
}
