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
}

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
  }
})
