import type { KoffiFunc } from 'koffi'
import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Handle } from '../library.ts'
import { securityAttributes, type SecurityAttributes } from './minwinbase.ts'

/** Result of `getDriveType` for built-in drives. */
export const fixedDrive = 3

export type VolumeInformation = (
  root: string,
  label: Buffer,
  labelLength: number,
  serial: null,
  maxNameLength: null,
  flags: null,
  format: Buffer,
  formatLength: number,
) => boolean

interface FileApi {
  securityAttributesSize: number
  getLogicalDrives: () => number
  getDriveType: (root: string) => number
  getVolumeInformation: KoffiFunc<VolumeInformation>
  createDirectory: (path: string, security: SecurityAttributes) => boolean
  createFile: (
    file: string,
    access: number,
    sharing: number,
    security: SecurityAttributes | null,
    disposition: number,
    flags: number,
    template: number,
  ) => Handle
  /** Returns the length of the path; 0 after a failure. */
  getFinalPathNameByHandle: (file: Handle, path: Buffer, length: number, flags: number) => number
}

export const fileapi = nativeFunctions((koffi): FileApi => {
  const kernel32 = koffi.load('kernel32.dll')
  const attributes = securityAttributes(koffi)
  return {
    securityAttributesSize: koffi.sizeof(attributes),
    getLogicalDrives: kernel32.func('uint32 __stdcall GetLogicalDrives()'),
    getDriveType: kernel32.func('uint32 __stdcall GetDriveTypeW(str16 root)'),
    getVolumeInformation: kernel32.func(
      'bool __stdcall GetVolumeInformationW(str16 root, void *label, uint32 labelLength, void *serial, void *maxNameLength, void *flags, void *format, uint32 formatLength)',
    ),
    createDirectory: kernel32.func('bool __stdcall CreateDirectoryW(str16 path, SECURITY_ATTRIBUTES *security)'),
    createFile: kernel32.func(
      'intptr __stdcall CreateFileW(str16 file, uint32 access, uint32 sharing, SECURITY_ATTRIBUTES *security, uint32 disposition, uint32 flags, intptr template)',
    ),
    getFinalPathNameByHandle: kernel32.func(
      'uint32 __stdcall GetFinalPathNameByHandleW(intptr file, void *path, uint32 length, uint32 flags)',
    ),
  }
})
