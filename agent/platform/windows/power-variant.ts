import type { PowerVariant } from '../../../shared/dtos/power-change.ts'
import { environment } from '../../base/environment.ts'
import { UserError } from '../../base/errors.ts'
import type { PowerStep } from '../platform.ts'
import { common, reasonOf, type Out } from './library.ts'
import type { WindowsSession } from './sessions.ts'
import { powrprof } from './win32/powrprof.ts'
import { firmwareUefi, winbase } from './win32/winbase.ts'
import { wtsapi32 } from './win32/wtsapi32.ts'
import { securitybaseapi } from './win32/securitybaseapi.ts'
import { withOwnToken } from './users.ts'

const adjustPrivileges = 0x20
const enabled = 2
/** `TOKEN_PRIVILEGES` with one entry: count, identifier, attributes. */
const entryBytes = 16

/** Enables a privilege that this process has but does not use. Changes nothing where it does not have it. */
async function enablePrivilege(name: string): Promise<void> {
  const [{ adjustTokenPrivileges }, { lookupPrivilegeValue }] = await Promise.all([securitybaseapi(), winbase()])
  const privileges = Buffer.alloc(entryBytes)
  privileges.writeUInt32LE(1)
  privileges.writeUInt32LE(enabled, 12)
  const identifier = privileges.subarray(4, 12)
  if (lookupPrivilegeValue(null, name, identifier)) {
    withOwnToken((token) => adjustTokenPrivileges(token, false, privileges, 0, null, null), adjustPrivileges)
  }
}

const system = (program: string) => `${environment.windows}\\System32\\${program}`
const people = (sessions: readonly WindowsSession[]) => sessions.filter(({ user }) => user !== '')

/** Resolves once the machine is awake again. */
async function sleep() {
  await enablePrivilege('SeShutdownPrivilege')
  const { setSuspendState } = await powrprof()
  const isDone = await new Promise((resolve, reject) =>
    setSuspendState.async(false, false, false, (error: Error | null, result: boolean) =>
      error ? reject(error) : resolve(result),
    ),
  )
  if (!isDone) {
    throw new UserError('Windows did not put the machine to sleep.')
  }
}

async function endSession(call: 'wtsDisconnectSession' | 'wtsLogoffSession', id: number) {
  const [{ lastError }, wts] = await Promise.all([common(), wtsapi32()])
  if (!wts[call](0, id, false)) {
    throw new UserError(`Windows did not end session ${id}: ${reasonOf(lastError())}.`)
  }
}

/** Calls of Windows; the programs that make them are missing in its Home editions. Each rejects with a UserError. */
const ofWindows = {
  sleep,
  disconnect: (session: number): Promise<void> => endSession('wtsDisconnectSession', session),
  logOff: (session: number): Promise<void> => endSession('wtsLogoffSession', session),
}

/** Whether a function of Windows says so; Windows versions without it have no such change. */
async function saysYes(ask: () => Promise<boolean>): Promise<boolean> {
  try {
    return await ask()
  } catch {
    return false
  }
}

async function isUefi() {
  const type: Out<number> = [0]
  return (await winbase()).getFirmwareType(type) && type[0] === firmwareUefi
}

/** Changes that this machine has. Only a service can be started in safe mode, where it serves again. */
export async function powerVariants(isService: boolean): Promise<PowerVariant[]> {
  const [canSleep, hasFirmware] = await Promise.all([
    saysYes(async () => (await powrprof()).isPwrSuspendAllowed()),
    saysYes(isUefi),
  ])
  return [
    'lock',
    'log-off',
    ...(canSleep ? (['sleep'] as const) : []),
    ...(hasFirmware ? (['firmware'] as const) : []),
    ...(isService ? (['safe-mode'] as const) : []),
  ]
}

/** A disconnected session shows the sign-in screen: services cannot call `LockWorkStation` for it. */
export function powerVariant(
  change: PowerVariant,
  sessions: readonly WindowsSession[],
  calls = ofWindows,
): readonly PowerStep[] | undefined {
  switch (change) {
    case 'lock':
      return people(sessions)
        .filter(({ isConnected }) => isConnected)
        .map(
          ({ id }) =>
            () =>
              calls.disconnect(id),
        )
    case 'log-off':
      return people(sessions).map(
        ({ id }) =>
          () =>
            calls.logOff(id),
      )
    case 'sleep':
      return [calls.sleep]
    case 'firmware':
      return [[system('shutdown.exe'), '/r', '/fw', '/t', '0', '/f']]
    case 'safe-mode':
      return undefined
  }
}
