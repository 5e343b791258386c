import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Out } from '../library.ts'

export const localMachine = -0x7fff_fffe
export const valueType = { text: 1, expandable: 2, number: 4 } as const
/** `RRF_RT_REG_DWORD`: `regGetValue` fails for other types. */
export const numberOnly = 0x10

interface WinReg {
  regGetValue: (
    root: number,
    key: string,
    name: string,
    kind: number,
    type: null,
    value: Buffer,
    size: Out<number>,
  ) => number
  regSetKeyValue: (root: number, key: string, name: string, type: number, value: Buffer, size: number) => number
  regDeleteKeyValue: (root: number, key: string, name: string) => number
  regDeleteTree: (root: number, key: string) => number
}

export const winreg = nativeFunctions((koffi): WinReg => {
  const advapi32 = koffi.load('advapi32.dll')
  return {
    regGetValue: advapi32.func(
      'int __stdcall RegGetValueW(intptr root, str16 key, str16 name, uint32 kind, void *type, void *value, _Inout_ uint32 *size)',
    ),
    regSetKeyValue: advapi32.func(
      'int __stdcall RegSetKeyValueW(intptr root, str16 key, str16 name, uint32 type, void *value, uint32 size)',
    ),
    regDeleteKeyValue: advapi32.func('int __stdcall RegDeleteKeyValueW(intptr root, str16 key, str16 name)'),
    regDeleteTree: advapi32.func('int __stdcall RegDeleteTreeW(intptr root, str16 key)'),
  }
})
