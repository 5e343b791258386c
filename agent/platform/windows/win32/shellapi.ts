import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Handle } from '../library.ts'

/** Index for which `DragQueryFile` returns the number of files. */
export const allFiles = 0xff_ff_ff_ff

interface ShellApi {
  /** Returns the length of a path without its NUL. */
  dragQueryFile: (drop: Handle, index: number, path: Buffer | null, units: number) => number
}

export const shellapi = nativeFunctions((koffi): ShellApi => ({
  dragQueryFile: koffi
    .load('shell32.dll')
    .func('uint32 __stdcall DragQueryFileW(intptr drop, uint32 index, void *path, uint32 units)'),
}))
