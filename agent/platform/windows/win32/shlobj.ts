import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Address, Out } from '../library.ts'

/** `FOLDERID_Desktop`, in the byte order of a GUID. */
export const desktopFolder: Buffer = Buffer.from('3accbfb42cdb4c42b0297fe99a87c641', 'hex')

interface ShlObj {
  /** Returns 0 for success; the path is released with `coTaskMemFree`. */
  getKnownFolderPath: (id: Buffer, flags: number, user: null, path: Out<Address>) => number
  coTaskMemFree: (memory: Address) => void
}

export const shlobj = nativeFunctions((koffi): ShlObj => ({
  getKnownFolderPath: koffi
    .load('shell32.dll')
    .func('int32 __stdcall SHGetKnownFolderPath(const uint8 *id, uint32 flags, void *user, _Out_ void **path)'),
  coTaskMemFree: koffi.load('ole32.dll').func('void __stdcall CoTaskMemFree(void *memory)'),
}))
