import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Handle, Out } from '../library.ts'

interface SecurityBaseApi {
  getTokenInformation: (
    token: Handle,
    kind: number,
    value: Buffer | null,
    length: number,
    needed: Out<number>,
  ) => boolean
  setTokenInformation: (token: Handle, kind: number, value: Buffer, length: number) => boolean
  /** `token` 0 is that of this process. */
  checkTokenMembership: (token: Handle, sid: Buffer, isMember: Out<number>) => boolean
  duplicateTokenEx: (
    token: Handle,
    access: number,
    security: null,
    level: number,
    type: number,
    copy: Out<Handle>,
  ) => boolean
  adjustTokenPrivileges: (
    token: Handle,
    disablesAll: false,
    privileges: Buffer,
    length: number,
    before: null,
    lengthBefore: null,
  ) => boolean
  createRestrictedToken: (
    token: Handle,
    flags: number,
    disabledSids: 0,
    noSids: null,
    deletedPrivileges: 0,
    noPrivileges: null,
    restrictedSids: 0,
    noRestrictedSids: null,
    restricted: Out<Handle>,
  ) => boolean
}

/** `DISABLE_MAX_PRIVILEGE`: deletes all privileges but the one to pass through folders. */
export const withoutPrivileges = 1

export const securitybaseapi = nativeFunctions((koffi): SecurityBaseApi => {
  const advapi32 = koffi.load('advapi32.dll')
  return {
    getTokenInformation: advapi32.func(
      'bool __stdcall GetTokenInformation(intptr token, int kind, void *value, uint32 length, _Out_ uint32 *needed)',
    ),
    setTokenInformation: advapi32.func(
      'bool __stdcall SetTokenInformation(intptr token, int kind, void *value, uint32 length)',
    ),
    checkTokenMembership: advapi32.func(
      'bool __stdcall CheckTokenMembership(intptr token, void *sid, _Out_ int *isMember)',
    ),
    duplicateTokenEx: advapi32.func(
      'bool __stdcall DuplicateTokenEx(intptr token, uint32 access, void *security, int level, int type, _Out_ intptr *copy)',
    ),
    adjustTokenPrivileges: advapi32.func(
      'bool __stdcall AdjustTokenPrivileges(intptr token, bool disable, void *privileges, uint32 length, void *before, void *lengthBefore)',
    ),
    createRestrictedToken: advapi32.func(
      'bool __stdcall CreateRestrictedToken(intptr token, uint32 flags, uint32 disabled, void *disabledSids, uint32 deleted, void *privileges, uint32 restricted, void *restrictedSids, _Out_ intptr *copy)',
    ),
  }
})
