import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Handle } from '../library.ts'

export const signaled = 0

interface SynchApi {
  waitForSingleObject: (handle: Handle, ms: number) => number
}

export const synchapi = nativeFunctions((koffi): SynchApi => {
  const kernel32 = koffi.load('kernel32.dll')
  return { waitForSingleObject: kernel32.func('uint32 __stdcall WaitForSingleObject(intptr handle, uint32 ms)') }
})
