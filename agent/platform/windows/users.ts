import { UserError } from '../../base/errors.ts'
import { common, reasonOf, type Address, type Handle, type Out } from './library.ts'
import { processthreadsapi } from './win32/processthreadsapi.ts'
import { sddl } from './win32/sddl.ts'
import { securitybaseapi } from './win32/securitybaseapi.ts'
import { serviceLogon, winbase } from './win32/winbase.ts'
import { wtsapi32 } from './win32/wtsapi32.ts'

const tokenQuery = 0x8
const tokenUser = 1
const tokenElevation = 20
export const systemSid = 'S-1-5-18'
export const localServiceSid = 'S-1-5-19'

/** Returns the SID of a token's user. Throws `UserError`. */
function sidOf(token: Handle): string {
  const { koffi, lastError, localFree } = common.now()
  const { getTokenInformation } = securitybaseapi.now()
  const { convertSidToStringSid } = sddl.now()
  const needed: Out<number> = [0]
  getTokenInformation(token, tokenUser, null, 0, needed)
  const value = Buffer.alloc(needed[0])
  const text: Out<Address> = [null]
  // The first member of TOKEN_USER points to the SID, in the same buffer.
  if (
    !getTokenInformation(token, tokenUser, value, value.length, needed) ||
    !convertSidToStringSid(koffi.decode(value, 'void *'), text)
  ) {
    throw new UserError(`Windows does not report the user of a program: ${reasonOf(lastError())}.`)
  }
  try {
    return koffi.decode.string16(text[0])
  } finally {
    localFree(text[0])
  }
}

/** Reads the token of this process. Throws `UserError`. */
export function withOwnToken<T>(read: (token: Handle) => T, access = tokenQuery): T {
  const { closeHandle, lastError } = common.now()
  const { getCurrentProcess, openProcessToken } = processthreadsapi.now()
  const token: Out<Handle> = [0]
  if (!openProcessToken(getCurrentProcess(), access, token)) {
    throw new UserError(`Windows does not report the user of the agent: ${reasonOf(lastError())}.`)
  }
  try {
    return read(token[0])
  } finally {
    closeHandle(token[0])
  }
}

/** Returns the SID of the user that this process runs as. Throws `UserError`. */
export const ownSidNow = (): string => withOwnToken(sidOf)

/** Returns whether this process has the rights of an administrator, not only such a user. Rejects with a UserError. */
export const isElevated = async (): Promise<boolean> =>
  withOwnToken((token) => {
    const value = Buffer.alloc(4)
    return securitybaseapi.now().getTokenInformation(token, tokenElevation, value, value.length, [0])
      ? value.readUInt32LE() !== 0
      : false
  })

/** Returns the SID of the user that this process runs as. Rejects with a UserError. */
export const ownSid = async (): Promise<string> => ownSidNow()

export interface SessionUser {
  /** Closed by the caller. */
  token: Handle
  sid: string
}

/** Returns the LocalService account of Windows; available to SYSTEM only. Rejects with a UserError. */
export async function localService(): Promise<SessionUser> {
  const [{ lastError }, { logonUser }] = await Promise.all([common(), winbase()])
  const token: Out<Handle> = [0]
  if (!logonUser('LocalService', 'NT AUTHORITY', null, serviceLogon, 0, token)) {
    throw new UserError(`Windows does not let the agent serve the sign-in screen: ${reasonOf(lastError())}.`)
  }
  return { token: token[0], sid: localServiceSid }
}

/** Returns the user signed in to a session; available to SYSTEM only. Rejects with a UserError. */
export async function userOfSession(session: number): Promise<SessionUser> {
  const [{ closeHandle, lastError }, { wtsQueryUserToken }] = await Promise.all([common(), wtsapi32()])
  const token: Out<Handle> = [0]
  if (!wtsQueryUserToken(session, token)) {
    throw new UserError(`Windows does not let the agent act for the person in this session: ${reasonOf(lastError())}.`)
  }
  try {
    return { token: token[0], sid: sidOf(token[0]) }
  } catch (error) {
    closeHandle(token[0])
    throw error
  }
}
