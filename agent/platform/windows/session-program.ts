import { spawn } from 'node:child_process'
import { join } from 'node:path/win32'
import { environment } from '../../base/environment.ts'
import type { StartedProcess } from '../found-desktop.ts'
import { watched } from '../spawned-process.ts'
import { UserError } from '../../base/errors.ts'
import type { CommandLine } from '../../base/command-line.ts'
import { quoteArgument } from '../../../shared/windows/command-line.ts'
import { superviseProcess } from './created-process.ts'
import { common, reasonOf, type Address, type Handle, type Out } from './library.ts'
import { creation, processthreadsapi, type ProcessInformation } from './win32/processthreadsapi.ts'
import { securitybaseapi, withoutPrivileges } from './win32/securitybaseapi.ts'
import { withOwnToken } from './users.ts'
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
const tokenSession = 12
/**
 * Window station and desktop: of the person's programs; of sign-in, lock screen and questions of Windows; and of
 * programs that see neither.
 */
const desktops = { interactive: 'winsta0\\default', secure: 'winsta0\\winlogon', none: '' } as const

/** Starts a program in the current session as the current user. Rejects with a UserError. */
export async function startHere([program, ...args]: CommandLine): Promise<Program> {
  const child = spawn(program, args, { cwd: systemFolder, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
  const { pid, ...started } = watched(child)
  if (pid === undefined) {
    throw new UserError(`Its process did not start: ${await started.ended}.`)
  }
  return { ...started, pid, kill: () => void child.kill() }
}

/** Environment variables of a block that Windows made, without those by which a user makes Node load other code. */
function withoutNodeVariables(block: Address): Buffer {
  const { koffi } = common.now()
  const kept: string[] = []
  for (let at = 0; ;) {
    const variable = koffi.decode(block, at, 'char16', -1) as string
    if (variable === '') {
      return Buffer.from(`${kept.join('\0')}\0\0`, 'utf16le')
    }
    at += Buffer.byteLength(variable, 'utf16le') + 2
    if (!/^NODE_(OPTIONS|PATH)=/i.test(variable)) {
      kept.push(variable)
    }
  }
}

/** Throws the reason of the last failure as a UserError. */
function refuse(): never {
  throw new UserError(`Windows did not start a program in this session: ${reasonOf(common.now().lastError())}.`)
}

/** Copies a token, so that processes can be started with it. Closed by the caller. Throws a UserError. */
function copyToken(token: Handle): Handle {
  const copy: Out<Handle> = [0]
  const { duplicateTokenEx } = securitybaseapi.now()
  return duplicateTokenEx(token, maximumAllowed, null, identification, primaryToken, copy) ? copy[0] : refuse()
}

/** Starts a program with a primary token and the environment of its user. */
async function startWith(token: Handle, [program, ...args]: CommandLine, desktop: string): Promise<Program> {
  const [{ closeHandle }, environments, processes] = await Promise.all([common(), userenv(), processthreadsapi()])
  const block: Out<Address> = [null]
  if (!environments.createEnvironmentBlock(block, token, false)) {
    refuse()
  }
  const variables = withoutNodeVariables(block[0])
  environments.destroyEnvironmentBlock(block[0])
  const information: Partial<ProcessInformation> = {}
  const commandLine = [program, ...args].map(quoteArgument).join(' ')
  const flags = creation.unicodeEnvironment | creation.noWindow
  const isStarted = processes.createProcessAsUser(
    ...([token, program, commandLine, null, null, false, flags] as const),
    ...([variables, systemFolder, { length: processes.startupSize, desktop }, information] as const),
  )
  if (!isStarted) {
    refuse()
  }
  const { process: handle = 0, thread = 0, processId = 0 } = information
  closeHandle(thread)
  const { ended, kill } = await superviseProcess(handle, closeHandle, true)
  return { pid: processId, outputs: Promise.resolve([]), ended: ended.then((status) => `status ${status}`), kill }
}

/**
 * Starts a program as the user of a token, on the user's interactive desktop and with the user's environment. Inherits
 * nothing, because handles cannot cross sessions. Rejects with a UserError.
 */
export async function startAs(token: Handle, command: CommandLine): Promise<Program> {
  const copy = copyToken(token)
  try {
    return await startWith(copy, command, desktops.interactive)
  } finally {
    common.now().closeHandle(copy)
  }
}

/**
 * Starts a program as the user of a token, without privileges and apart from all desktops of people, in a window station
 * that Windows makes for it. Rejects with a UserError.
 */
export async function startConfined(token: Handle, command: CommandLine): Promise<Program> {
  const confined: Out<Handle> = [0]
  const { createRestrictedToken } = securitybaseapi.now()
  if (!createRestrictedToken(token, withoutPrivileges, 0, null, 0, null, 0, null, confined)) {
    refuse()
  }
  try {
    return await startWith(confined[0], command, desktops.none)
  } finally {
    common.now().closeHandle(confined[0])
  }
}

/** Starts a program as SYSTEM in the session of a person; only SYSTEM may. Rejects with a UserError. */
export async function startAsSystem(session: number, command: CommandLine): Promise<Program> {
  const { closeHandle } = common.now()
  const token = withOwnToken(copyToken, maximumAllowed)
  try {
    const id = Buffer.alloc(4)
    id.writeUInt32LE(session)
    if (!securitybaseapi.now().setTokenInformation(token, tokenSession, id, id.length)) {
      refuse()
    }
    return await startWith(token, command, desktops.secure)
  } finally {
    closeHandle(token)
  }
}
