import { existsSync } from 'node:fs'
import { dirname } from 'node:path/win32'
import { administrators, folderSecurity } from '../../../shared/windows/folder-security.ts'
import { environment } from '../../base/environment.ts'
import { UserError } from '../../base/errors.ts'
import { nativeFunctions } from '../../base/native-functions.ts'
import { common, reasonOf, type Address, type Out } from './library.ts'
import { ownSidNow } from './users.ts'
import { fileapi } from './win32/fileapi.ts'
import { sddl } from './win32/sddl.ts'
import { securitybaseapi } from './win32/securitybaseapi.ts'

const administratorsBytes = Buffer.from('01020000000000052000000020020000', 'hex')

const security = nativeFunctions((koffi) => folderSecurity(koffi, UserError))

/** Whether this process has the rights of an administrator. */
function isElevated(): boolean {
  const isMember: Out<number> = [0]
  return securitybaseapi.now().checkTokenMembership(0, administratorsBytes, isMember) && isMember[0] !== 0
}

/** Returns whether Windows itself protects entries of this folder from being moved. */
const isOfSystem = (folder: string) =>
  dirname(folder) === folder ||
  [environment.programData, environment.programFiles].some((one) => one.toLowerCase() === folder.toLowerCase())

/** Folders that this process has already created or checked. */
const known = new Set<string>()

/**
 * Returns the problem of a folder, or of its nearest existing parent; undefined if usable. The folder must belong to the
 * system, to Administrators or, without elevation, to this user, and no other user may write to it or move it; the parent
 * folders determine who can move it. `shared/power-shell.ts` says the same for the installer.
 */
export function windowsFolderProblem(folder: string): string | undefined {
  if (known.has(folder) || isOfSystem(folder)) {
    return undefined
  }
  if (!existsSync(folder)) {
    return windowsFolderProblem(dirname(folder))
  }
  const trusted = [...administrators, ...(isElevated() ? [] : [ownSidNow()])]
  const problem = security.now().problemAlong(folder, trusted)
  if (problem === undefined) {
    known.add(folder)
  }
  return problem
}

/** Full control for SYSTEM, Administrators and, without elevation, this user; nothing is inherited from the parent. */
function closedRules(): string {
  const full = (who: string) => `(A;OICI;FA;;;${who})`
  const owned = isElevated() ? ['O:BA', ''] : ['', full(ownSidNow())]
  return `${owned[0]}D:P${full('SY')}${full('BA')}${owned[1]}`
}

/** Creates a folder with its missing parents, closed to other users from its first moment. Throws `UserError`. */
export function makeWindowsFolder(folder: string): void {
  if (existsSync(folder)) {
    return
  }
  makeWindowsFolder(dirname(folder))
  const { lastError, localFree } = common.now()
  const { createDirectory, securityAttributesSize: length } = fileapi.now()
  const descriptor: Out<Address> = [null]
  const fail = () => {
    throw new UserError(`Windows did not create the folder ${folder}: ${reasonOf(lastError())}.`)
  }
  if (!sddl.now().convertStringSecurityDescriptorToSecurityDescriptor(closedRules(), 1, descriptor, null)) {
    fail()
  }
  try {
    // Fails if another user has created the folder meanwhile.
    if (!createDirectory(folder, { length, descriptor: descriptor[0], isInherited: false })) {
      fail()
    }
  } finally {
    localFree(descriptor[0])
  }
  known.add(folder)
}
