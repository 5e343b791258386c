import { nativeFunctions } from '../../../base/native-functions.ts'

interface PowrProf {
  isPwrSuspendAllowed: () => boolean
}

export const powrprof = nativeFunctions((koffi): PowrProf => ({
  isPwrSuspendAllowed: koffi.load('powrprof.dll').func('bool __stdcall IsPwrSuspendAllowed()'),
}))
