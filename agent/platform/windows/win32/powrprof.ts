import type { KoffiFunc } from 'koffi'
import { nativeFunctions } from '../../../base/native-functions.ts'

interface PowrProf {
  isPwrSuspendAllowed: () => boolean
  /** Returns when the machine is awake again. */
  setSuspendState: KoffiFunc<(hibernates: boolean, isForced: boolean, disablesWakeEvents: boolean) => boolean>
}

export const powrprof = nativeFunctions((koffi): PowrProf => {
  const library = koffi.load('powrprof.dll')
  return {
    isPwrSuspendAllowed: library.func('bool __stdcall IsPwrSuspendAllowed()'),
    setSuspendState: library.func('bool __stdcall SetSuspendState(bool hibernate, bool force, bool noWakeEvents)'),
  }
})
