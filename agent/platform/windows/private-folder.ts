import { existsSync } from 'node:fs'
import { dirname } from 'node:path/win32'
import { environment } from '../../base/config.ts'
import { UserError } from '../../base/errors.ts'
import { aclBytes, aclStartBytes, grantsIn, readSid, sidBytes, sidStartBytes, type AccessRule } from './access-rules.ts'
import { common, reasonOf, success, type Address, type Out } from './library.ts'
import { ownSidNow, systemSid } from './users.ts'
import { aclapi, fileObject, securityInformation } from './win32/aclapi.ts'
import { fileapi, fileAttributes } from './win32/fileapi.ts'
import { sddl } from './win32/sddl.ts'
import { securitybaseapi } from './win32/securitybaseapi.ts'

const administrators = 'S-1-5-32-544'
const administratorsBytes = Buffer.from('01020000000000052000000020020000', 'hex')
const trustedInstaller = 'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464'

/** Delete children, change permissions, take ownership, everything. */
const movingChildren = 0x40 | 0x4_0000 | 0x8_0000 | 0x1000_0000
/** And delete, which includes giving the folder another name. */
const moving = movingChildren | 0x1_0000
/** And write data, append data, write everything. */
const writing = moving | 0x2 | 0x4 | 0x4000_0000

/** Owner of an entry and the rules that grant something on it; without a list of rules, everybody may do everything. */
export interface Security {
  owner: string
  grants: AccessRule[] | undefined
}

/** Returns why users other than those trusted could change a folder; `isParent`: could move what is in it. */
export function securityProblem(
  folder: string,
  { owner, grants }: Security,
  trusted: readonly string[],
  isParent: boolean,
): string | undefined {
  if (!trusted.includes(owner)) {
    return `${folder} belongs to the user ${owner}`
  }
  if (grants === undefined) {
    return `everybody may change ${folder}`
  }
  // The root of a drive cannot be renamed.
  const ofParent = dirname(folder) === folder ? movingChildren : moving
  const mask = isParent ? ofParent : writing
  const open = grants.find(
    (rule) => (rule.mask & mask) !== 0 && (rule.sid === undefined || !trusted.includes(rule.sid)),
  )
  return open && `the user or group ${open.sid ?? '(unknown)'} may change ${folder}`
}

/** Reads who owns a folder and may use it. Throws `UserError`. */
export function securityOf(folder: string): Security {
  const { koffi, localFree } = common.now()
  const [owner, dacl, descriptor]: [Out<Address>, Out<Address>, Out<Address>] = [[null], [null], [null]]
  const wanted = securityInformation.owner | securityInformation.dacl
  const code = aclapi
    .now()
    .getNamedSecurityInfo(folder, fileObject, wanted, ...([owner, null, dacl, null, descriptor] as const))
  if (code !== success) {
    throw new UserError(`Windows does not report the owner of ${folder}: ${reasonOf(code)}.`)
  }
  const read = (address: Address, startBytes: number, lengthOf: (start: Buffer) => number) => {
    const view = (length: number) => Buffer.from(koffi.view(address, length))
    return Buffer.from(view(lengthOf(view(startBytes))))
  }
  try {
    return {
      owner: readSid(read(owner[0], sidStartBytes, sidBytes)),
      grants: dacl[0] ? grantsIn(read(dacl[0], aclStartBytes, aclBytes)) : undefined,
    }
  } finally {
    localFree(descriptor[0])
  }
}

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
  const trusted = [systemSid, administrators, trustedInstaller, ...(isElevated() ? [] : [ownSidNow()])]
  for (let at = folder; ; at = dirname(at)) {
    const attributes = fileapi.now().getFileAttributes(at)
    if (attributes === fileAttributes.missing) {
      return `Windows does not report what ${at} is`
    }
    if ((attributes & fileAttributes.directory) === 0) {
      return `${at} is not a folder`
    }
    if ((attributes & fileAttributes.reparsePoint) !== 0) {
      return `${at} is a link`
    }
    const problem = securityProblem(at, securityOf(at), trusted, at !== folder)
    if (problem !== undefined) {
      return problem
    }
    if (dirname(at) === at) {
      known.add(folder)
      return undefined
    }
  }
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
