import { spawn } from 'node:child_process'
import { join } from 'node:path/win32'
import { environment } from '../../base/config.ts'
import type { StartedProcess } from '../found-desktop.ts'
import { watched } from '../spawned-process.ts'
import { UserError } from '../../base/errors.ts'
import type { CommandLine } from '../../base/command-line.ts'
import { quoteArgument } from './command-line.ts'
import { creation, processFunctions, superviseProcess, type ProcessInformation } from './created-process.ts'
import { nativeFunctions } from '../../base/native-functions.ts'
import { common, reasonOf, type Address, type Handle, type Out } from './library.ts'

/** Started program without a channel. */
export interface Program extends Pick<StartedProcess, 'outputs' | 'ended'> {
  pid: number
  kill(): void
}

interface TokenFunctions {
  duplicate: (token: Handle, access: number, security: null, level: number, type: number, copy: Out<Handle>) => boolean
  environmentOf: (block: Out<Address>, token: Handle, isInherited: boolean) => boolean
  freeEnvironment: (block: Address) => boolean
}

const functions = nativeFunctions((koffi): TokenFunctions => {
  const [advapi32, userenv] = [koffi.load('advapi32.dll'), koffi.load('userenv.dll')]
  return {
    duplicate: advapi32.func(
      'bool __stdcall DuplicateTokenEx(intptr token, uint32 access, void *security, int level, int type, _Out_ intptr *copy)',
    ),
    environmentOf: userenv.func(
      'bool __stdcall CreateEnvironmentBlock(_Out_ void **block, intptr token, bool inherit)',
    ),
    freeEnvironment: userenv.func('bool __stdcall DestroyEnvironmentBlock(void *block)'),
  }
})

const systemFolder = join(environment.windows, 'System32')
const maximumAllowed = 0x200_0000
const identification = 1
const primaryToken = 1
/** Window station and desktop of interactive users. */
const interactiveDesktop = 'winsta0\\default'

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
  const [{ closeHandle, lastError }, api, processes] = await Promise.all([common(), functions(), processFunctions()])
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
      const startup = { length: processes.startupSize, desktop: interactiveDesktop }
      const isStarted = processes.createAs(
        ...([copy[0], program, commandLine, null, null, false, flags] as const),
        ...([block[0], systemFolder, startup, information] as const),
      )
      if (!isStarted) {
        refuse()
      }
      const { process: handle = 0, thread = 0, processId = 0 } = information
      closeHandle(thread)
      const { ended, kill } = await superviseProcess(handle, closeHandle, true)
      return { pid: processId, outputs: Promise.resolve([]), ended: ended.then((status) => `status ${status}`), kill }
    } finally {
      api.freeEnvironment(block[0])
    }
  } finally {
    closeHandle(copy[0])
  }
}
