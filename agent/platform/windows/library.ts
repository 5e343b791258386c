import { nativeFunctions, type Koffi } from '../../base/native-functions.ts'
import { lastErrorOf, type Address, type Handle } from '../../../shared/windows/calls.ts'

export { reasonOf, success, type Address, type Handle, type Out } from '../../../shared/windows/calls.ts'

export interface Common {
  koffi: Koffi
  lastError: () => number
  closeHandle: (handle: Handle) => boolean
  /** Releases memory that Windows allocated for the caller. */
  localFree: (memory: Address) => Address
}

export const common = nativeFunctions((loaded): Common => {
  const kernel32 = loaded.load('kernel32.dll')
  return {
    koffi: loaded,
    lastError: lastErrorOf(loaded),
    closeHandle: kernel32.func('bool __stdcall CloseHandle(intptr handle)'),
    localFree: kernel32.func('void *__stdcall LocalFree(void *memory)'),
  }
})
