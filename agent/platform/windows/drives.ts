import { deferred } from '../../../shared/deferred.ts'
import type { MountedDrive } from '../platform.ts'
import { fileapi, fixedDrive, type VolumeInformation } from './win32/fileapi.ts'

const maxCharacters = 261
const textOf = (value: Buffer) => value.toString('utf16le').replace(/\0.*$/s, '')

/** Lists built-in drives. For a drive locked by BitLocker only the letter is known. */
export async function fixedDrives(): Promise<MountedDrive[]> {
  const { getLogicalDrives, getDriveType, getVolumeInformation } = await fileapi()
  const mask = getLogicalDrives()
  const roots = Array.from({ length: 26 }, (_, at) => at)
    .filter((at) => (mask & (1 << at)) !== 0)
    .map((at) => `${String.fromCharCode(65 + at)}:\\`)
    .filter((root) => getDriveType(root) === fixedDrive)
  // Runs on a thread of the pool: a sleeping disk takes seconds to respond.
  const ask = (...args: Parameters<VolumeInformation>) => {
    const { promise, resolve } = deferred<void>()
    getVolumeInformation.async(...args, () => resolve())
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
