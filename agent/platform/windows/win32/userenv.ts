import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Address, Handle, Out } from '../library.ts'

interface UserEnv {
  createEnvironmentBlock: (block: Out<Address>, token: Handle, isInherited: boolean) => boolean
  destroyEnvironmentBlock: (block: Address) => boolean
  getUserProfileDirectory: (token: Handle, path: Buffer, length: Out<number>) => boolean
}

export const userenv = nativeFunctions((koffi): UserEnv => {
  const library = koffi.load('userenv.dll')
  return {
    createEnvironmentBlock: library.func(
      'bool __stdcall CreateEnvironmentBlock(_Out_ void **block, intptr token, bool inherit)',
    ),
    destroyEnvironmentBlock: library.func('bool __stdcall DestroyEnvironmentBlock(void *block)'),
    getUserProfileDirectory: library.func(
      'bool __stdcall GetUserProfileDirectoryW(intptr token, void *path, _Inout_ uint32 *length)',
    ),
  }
})
