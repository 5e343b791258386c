import { deferred } from '../../../shared/deferred.ts'
import type { KoffiFunc } from 'koffi'
import type { MountedDrive } from '../platform.ts'
import { nativeFunctions } from '../../base/native-functions.ts'

type VolumeInformation = (
  root: string,
  label: Buffer,
  labelLength: number,
  serial: null,
  maxNameLength: null,
  flags: null,
  format: Buffer,
  formatLength: number,
) => boolean

interface DriveFunctions {
  letters: () => number
  typeOf: (root: string) => number
  information: KoffiFunc<VolumeInformation>
}

const functions = nativeFunctions((koffi): DriveFunctions => {
  const kernel32 = koffi.load('kernel32.dll')
  return {
    letters: kernel32.func('uint32 __stdcall GetLogicalDrives()'),
    typeOf: kernel32.func('uint32 __stdcall GetDriveTypeW(str16 root)'),
    information: kernel32.func(
      'bool __stdcall GetVolumeInformationW(str16 root, void *label, uint32 labelLength, void *serial, void *maxNameLength, void *flags, void *format, uint32 formatLength)',
    ),
  }
})

const fixed = 3
const maxCharacters = 261
const textOf = (value: Buffer) => value.toString('utf16le').replace(/\0.*$/s, '')

/** Lists built-in drives. For a drive locked by BitLocker only the letter is known. */
export async function fixedDrives(): Promise<MountedDrive[]> {
  const { letters, typeOf, information } = await functions()
  const mask = letters()
  const roots = Array.from({ length: 26 }, (_, at) => at)
    .filter((at) => (mask & (1 << at)) !== 0)
    .map((at) => `${String.fromCharCode(65 + at)}:\\`)
    .filter((root) => typeOf(root) === fixed)
  // Runs on a thread of the pool: a sleeping disk takes seconds to respond.
  const ask = (...args: Parameters<VolumeInformation>) => {
    const { promise, resolve } = deferred<void>()
    information.async(...args, () => resolve())
    return promise
  }
  return await Promise.all(
    roots.map(async (root) => {
      const [label, format] = [Buffer.alloc(maxCharacters * 2), Buffer.alloc(maxCharacters * 2)]
      await ask(root, label, maxCharacters, null, null, null, format, maxCharacters)
      return { rootDirectory: root, driveFormat: textOf(format), volumeLabel: textOf(label) }
    }),
  )
}
