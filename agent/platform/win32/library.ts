import { nativeFunctions, type Koffi } from '../../base/native-functions.ts'

/** A handle of Windows; they are small numbers. */
export type Handle = number
/** An address in memory; koffi reads what is there. */
export type Address = unknown
/** Where a function leaves a value. */
export type Out<T> = [T]

export const success = 0

/** What some numbers mean; the others stand for themselves. */
const meanings: Readonly<Record<number, string>> = {
  2: 'it was not found',
  5: 'access is denied',
  121: 'it took too long',
  1008: 'nobody is signed in',
  1260: 'a policy of this device forbids it',
  1314: 'only a service may do that',
  7022: 'that session is not there any more',
}

/** For people: `access is denied (5)`. */
export const reasonOf = (code: number): string => `${meanings[code] ?? 'the error of Windows is'} (${code})`

export interface Common {
  koffi: Koffi
  /** Why the last call failed; the package keeps it from what Node does in between. */
  lastError: () => number
  closeHandle: (handle: Handle) => boolean
  /** Releases what Windows has made for the caller. */
  localFree: (memory: Address) => Address
}

export const common = nativeFunctions((loaded): Common => {
  const kernel32 = loaded.load('kernel32.dll')
  return {
    koffi: loaded,
    lastError: kernel32.func('uint32 __stdcall GetLastError()'),
    closeHandle: kernel32.func('bool __stdcall CloseHandle(intptr handle)'),
    localFree: kernel32.func('void *__stdcall LocalFree(void *memory)'),
  }
})
