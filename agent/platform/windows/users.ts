import { UserError } from '../../base/errors.ts'
import { nativeFunctions } from '../../base/native-functions.ts'
import { common, reasonOf, type Address, type Handle, type Out } from './library.ts'

interface TokenFunctions {
  currentProcess: () => Handle
  openToken: (process: Handle, access: number, token: Out<Handle>) => boolean
  sessionToken: (session: number, token: Out<Handle>) => boolean
  tokenInformation: (token: Handle, kind: number, value: Buffer | null, length: number, needed: Out<number>) => boolean
  sidText: (sid: Address, text: Out<Address>) => boolean
}

const functions = nativeFunctions((koffi): TokenFunctions => {
  const [kernel32, advapi32, wtsapi32] = [
    koffi.load('kernel32.dll'),
    koffi.load('advapi32.dll'),
    koffi.load('wtsapi32.dll'),
  ]
  return {
    currentProcess: kernel32.func('intptr __stdcall GetCurrentProcess()'),
    openToken: advapi32.func('bool __stdcall OpenProcessToken(intptr process, uint32 access, _Out_ intptr *token)'),
    sessionToken: wtsapi32.func('bool __stdcall WTSQueryUserToken(uint32 session, _Out_ intptr *token)'),
    tokenInformation: advapi32.func(
      'bool __stdcall GetTokenInformation(intptr token, int kind, void *value, uint32 length, _Out_ uint32 *needed)',
    ),
    sidText: advapi32.func('bool __stdcall ConvertSidToStringSidW(void *sid, _Out_ void **text)'),
  }
})

const tokenQuery = 0x8
const tokenUser = 1
export const systemSid = 'S-1-5-18'

/** Returns the SID of a token's user. Rejects with a UserError. */
async function sidOf(token: Handle): Promise<string> {
  const [{ koffi, lastError, localFree }, { tokenInformation, sidText }] = await Promise.all([common(), functions()])
  const needed: Out<number> = [0]
  tokenInformation(token, tokenUser, null, 0, needed)
  const value = Buffer.alloc(needed[0])
  const text: Out<Address> = [null]
  // The first member of TOKEN_USER points to the SID, in the same buffer.
  if (
    !tokenInformation(token, tokenUser, value, value.length, needed) ||
    !sidText(koffi.decode(value, 'void *'), text)
  ) {
    throw new UserError(`Windows does not report the user of a program: ${reasonOf(lastError())}.`)
  }
  try {
    return koffi.decode.string16(text[0])
  } finally {
    localFree(text[0])
  }
}

/** Returns the SID of the user that this process runs as. */
export async function ownSid(): Promise<string> {
  const [{ closeHandle, lastError }, { currentProcess, openToken }] = await Promise.all([common(), functions()])
  const token: Out<Handle> = [0]
  if (!openToken(currentProcess(), tokenQuery, token)) {
    throw new UserError(`Windows does not report the user of the agent: ${reasonOf(lastError())}.`)
  }
  try {
    return await sidOf(token[0])
  } finally {
    closeHandle(token[0])
  }
}

export interface SessionUser {
  /** Closed by the caller. */
  token: Handle
  sid: string
}

/** Returns the user signed in to a session; available to SYSTEM only. Rejects with a UserError. */
export async function userOfSession(session: number): Promise<SessionUser> {
  const [{ closeHandle, lastError }, { sessionToken }] = await Promise.all([common(), functions()])
  const token: Out<Handle> = [0]
  if (!sessionToken(session, token)) {
    throw new UserError(`Windows does not let the agent act for the person in this session: ${reasonOf(lastError())}.`)
  }
  try {
    return { token: token[0], sid: await sidOf(token[0]) }
  } catch (error) {
    closeHandle(token[0])
    throw error
  }
}
