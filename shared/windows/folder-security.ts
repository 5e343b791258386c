/** Owner of a folder of Windows, and users who may change it. */
import { dirname } from 'node:path/win32'
import { aclBytes, aclStartBytes, grantsIn, readSid, sidBytes, sidStartBytes, type AccessRule } from './access-rules.ts'
import { lastErrorOf, reasonOf, success, type Address, type Failure, type Koffi, type Out } from './calls.ts'

/** SYSTEM, Administrators, TrustedInstaller */
export const administrators = [
  'S-1-5-18',
  'S-1-5-32-544',
  'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464',
] as const

/** `SE_FILE_OBJECT` */
const fileObject = 1
/** `OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION` */
const ownerAndRules = 0x1 | 0x4
/** `ERROR_FILE_NOT_FOUND`, `ERROR_PATH_NOT_FOUND` */
const notFound = [2, 3]
const attribute = { directory: 0x10, reparsePoint: 0x400, unknown: 0xffff_ffff } as const

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

/** Functions that throw a `Failure` when Windows refuses something. */
export function folderSecurity(koffi: Koffi, Failed: Failure) {
  const [kernel32, advapi32] = [koffi.load('kernel32.dll'), koffi.load('advapi32.dll')]
  const getFileAttributes: (path: string) => number = kernel32.func('uint32 __stdcall GetFileAttributesW(str16 path)')
  const lastError = lastErrorOf(koffi)
  const localFree: (memory: Address) => Address = kernel32.func('void *__stdcall LocalFree(void *memory)')
  /** Owner and list are parts of the descriptor. */
  const getNamedSecurityInfo: (
    name: string,
    type: number,
    wanted: number,
    owner: Out<Address>,
    group: null,
    dacl: Out<Address>,
    sacl: null,
    descriptor: Out<Address>,
  ) => number = advapi32.func(
    'uint32 __stdcall GetNamedSecurityInfoW(str16 name, int type, uint32 wanted, _Out_ void **owner, void *group, _Out_ void **dacl, void *sacl, _Out_ void **descriptor)',
  )

  /** Copies memory: Electron allows no views of it. */
  const read = (address: Address, startBytes: number, lengthOf: (start: Buffer) => number) => {
    const copy = (length: number) => Buffer.from(koffi.decode(address, koffi.array('uint8', length)) as Uint8Array)
    return copy(lengthOf(copy(startBytes)))
  }

  /** Reads who owns an entry and may use it. */
  function securityOf(entry: string): Security {
    const [owner, dacl, descriptor]: [Out<Address>, Out<Address>, Out<Address>] = [[null], [null], [null]]
    const code = getNamedSecurityInfo(
      entry,
      fileObject,
      ownerAndRules,
      ...([owner, null, dacl, null, descriptor] as const),
    )
    if (code !== success) {
      throw new Failed(`Windows does not report the owner of ${entry}: ${reasonOf(code)}.`)
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

  /** Returns the problem of an entry of a folder: its owner, or that it is a link, for which Windows reports the target. */
  function entryProblem(entry: string, trusted: readonly string[]): string | undefined {
    if ((getFileAttributes(entry) & attribute.reparsePoint) !== 0) {
      return `${entry} is a link`
    }
    const { owner } = securityOf(entry)
    return trusted.includes(owner) ? undefined : `${entry} belongs to the user ${owner}`
  }

  function problemOf(folder: string, trusted: readonly string[], isParent: boolean): string | undefined {
    const attributes = getFileAttributes(folder)
    if (attributes === attribute.unknown) {
      return notFound.includes(lastError()) ? undefined : `Windows does not report what ${folder} is`
    }
    if ((attributes & attribute.directory) === 0) {
      return `${folder} is not a folder`
    }
    return (attributes & attribute.reparsePoint) === 0
      ? securityProblem(folder, securityOf(folder), trusted, isParent)
      : `${folder} is a link`
  }

  /** Returns the problem of a folder or of a folder above; a missing one is judged by those above. */
  function problemAlong(folder: string, trusted: readonly string[]): string | undefined {
    for (let at = folder; ; at = dirname(at)) {
      const problem = problemOf(at, trusted, at !== folder)
      if (problem !== undefined || dirname(at) === at) {
        return problem
      }
    }
  }

  return { entryProblem, securityOf, problemAlong }
}
