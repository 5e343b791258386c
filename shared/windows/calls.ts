import type koffi from 'koffi'

export type Koffi = typeof koffi

/** Windows handle; always a small number. */
export type Handle = number
/** Memory address, decoded by koffi. */
export type Address = unknown
/** Output parameter of a function. */
export type Out<T> = [T]

/** Error class of the caller, whose messages people read. */
export type Failure = new (message: string) => Error

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

/** Error code of the last call; the package preserves the code across Node's own calls. */
export const lastErrorOf = (koffi: Koffi): (() => number) =>
  koffi.load('kernel32.dll').func('uint32 __stdcall GetLastError()')
