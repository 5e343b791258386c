import { securitybaseapi } from './win32/securitybaseapi.ts'
import { winbase } from './win32/winbase.ts'
import { withOwnToken } from './users.ts'

const adjustPrivileges = 0x20
const enabled = 2
/** `TOKEN_PRIVILEGES` with one entry: count, identifier, attributes. */
const entryBytes = 16

/** Enables a privilege that this process has but does not use. Changes nothing where it does not have it. */
export async function enablePrivilege(name: string): Promise<void> {
  const [{ adjustTokenPrivileges }, { lookupPrivilegeValue }] = await Promise.all([securitybaseapi(), winbase()])
  const privileges = Buffer.alloc(entryBytes)
  privileges.writeUInt32LE(1)
  privileges.writeUInt32LE(enabled, 12)
  const identifier = privileges.subarray(4, 12)
  if (lookupPrivilegeValue(null, name, identifier)) {
    withOwnToken((token) => adjustTokenPrivileges(token, false, privileges, 0, null, null), adjustPrivileges)
  }
}
