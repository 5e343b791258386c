import { nativeFunctions, type Koffi } from '../../base/native-functions.ts'

/** Windows handle; always a small number. */
export type Handle = number
/** Memory address, decoded by koffi. */
export type Address = unknown
/** Output parameter of a function. */
export type Out<T> = [T]

export const success = 0

/** Texts for common error codes. */
const meanings: Readonly<Record<number, string>> = {
  2: 'it was not found',
  5: 'access is denied',
  120: 'this Windows cannot do that',
  121: 'it took too long',
  1008: 'nobody is signed in',
  1053: 'the service did not answer in time',
  1072: 'the service is removed when every program that looks at services is closed',
  1260: 'a policy of this device forbids it',
  1314: 'only a service may do that',
  7022: 'that session is not there any more',
}

/** Reason for people, such as `access is denied (5)`. */
export const reasonOf = (code: number): string => `${meanings[code] ?? 'the error of Windows is'} (${code})`

export interface Common {
  koffi: Koffi
  /** Error code of the last call; the package preserves the code across Node's own calls. */
  lastError: () => number
  closeHandle: (handle: Handle) => boolean
  /** Releases memory that Windows allocated for the caller. */
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
