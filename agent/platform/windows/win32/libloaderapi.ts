import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Address, Handle } from '../library.ts'

interface LibLoaderApi {
  getModuleHandle: (name: string) => Handle
  getProcAddress: (module: Handle, name: string) => Address
}

export const libloaderapi = nativeFunctions((koffi): LibLoaderApi => {
  const kernel32 = koffi.load('kernel32.dll')
  return {
    getModuleHandle: kernel32.func('intptr __stdcall GetModuleHandleW(str16 name)'),
    getProcAddress: kernel32.func('void *__stdcall GetProcAddress(intptr module, str name)'),
  }
})
