import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Address, Out } from '../library.ts'

/** `SE_FILE_OBJECT` */
export const fileObject = 1
/** `SECURITY_INFORMATION` */
export const securityInformation = { owner: 0x1, dacl: 0x4 } as const

interface AclApi {
  /** Owner and list are parts of the descriptor, which is released with `localFree`. */
  getNamedSecurityInfo: (
    name: string,
    type: number,
    wanted: number,
    owner: Out<Address>,
    group: null,
    dacl: Out<Address>,
    sacl: null,
    descriptor: Out<Address>,
  ) => number
}

export const aclapi = nativeFunctions((koffi): AclApi => {
  const advapi32 = koffi.load('advapi32.dll')
  return {
    getNamedSecurityInfo: advapi32.func(
      'uint32 __stdcall GetNamedSecurityInfoW(str16 name, int type, uint32 wanted, _Out_ void **owner, void *group, _Out_ void **dacl, void *sacl, _Out_ void **descriptor)',
    ),
  }
})
