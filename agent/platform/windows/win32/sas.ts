import { nativeFunctions } from '../../../base/native-functions.ts'

interface Sas {
  /** Returns no result. */
  sendSas: (isUser: boolean) => void
}

export const sas = nativeFunctions((koffi): Sas => ({
  sendSas: koffi.load('sas.dll').func('void __stdcall SendSAS(bool isUser)'),
}))
