import { spawn } from 'node:child_process'
import { join } from 'node:path/win32'
import { environment } from '../../base/config.ts'
import type { StartedProcess } from '../found-desktop.ts'
import { watched } from '../spawned-process.ts'
import { UserError } from '../../base/errors.ts'
import type { CommandLine } from '../../base/command-line.ts'
import { quoteArgument } from './command-line.ts'
import { superviseProcess } from './created-process.ts'
import { common, reasonOf, type Address, type Handle, type Out } from './library.ts'
import { creation, processthreadsapi, type ProcessInformation } from './win32/processthreadsapi.ts'
import { securitybaseapi } from './win32/securitybaseapi.ts'
import { userenv } from './win32/userenv.ts'

/** Started program without a channel. */
export interface Program extends Pick<StartedProcess, 'outputs' | 'ended'> {
  pid: number
  kill(): void
}

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
  const [{ closeHandle, lastError }, { duplicateTokenEx }, environments, processes] = await Promise.all([
    common(),
    securitybaseapi(),
    userenv(),
    processthreadsapi(),
  ])
  const refuse = () => {
    throw new UserError(`Windows did not start a program in this session: ${reasonOf(lastError())}.`)
  }
  const [copy, block]: [Out<Handle>, Out<Address>] = [[0], [null]]
  if (!duplicateTokenEx(token, maximumAllowed, null, identification, primaryToken, copy)) {
    refuse()
  }
  try {
    if (!environments.createEnvironmentBlock(block, copy[0], false)) {
      refuse()
    }
    try {
      const information: Partial<ProcessInformation> = {}
      const commandLine = [program, ...args].map(quoteArgument).join(' ')
      const flags = creation.unicodeEnvironment | creation.noWindow
      const startup = { length: processes.startupSize, desktop: interactiveDesktop }
      const isStarted = processes.createProcessAsUser(
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
      environments.destroyEnvironmentBlock(block[0])
    }
  } finally {
    closeHandle(copy[0])
  }
}
