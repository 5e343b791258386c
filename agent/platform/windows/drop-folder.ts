import { environment } from '../../base/environment.ts'
import { common, success, type Address, type Out } from './library.ts'
import { desktopFolder, shlobj } from './win32/shlobj.ts'

/** Desktop folder of this process's user, which a group policy or OneDrive may have moved; else the home folder. */
export async function dropFolder(): Promise<string> {
  const [{ koffi }, { getKnownFolderPath, coTaskMemFree }] = await Promise.all([common(), shlobj()])
  const path: Out<Address> = [null]
  const isFound = getKnownFolderPath(desktopFolder, 0, null, path) === success && path[0] !== null
  try {
    return isFound ? koffi.decode.string16(path[0]) : environment.home
  } finally {
    coTaskMemFree(path[0])
  }
}
