import { win32 } from 'node:path'
import { environment } from '../../base/environment.ts'
import { brandName } from '../../base/paths.ts'
import type { FileRules } from '../platform.ts'
import { folderOwner } from './folder-owner.ts'
import { makeWindowsFolder, windowsFolderProblem } from './private-folder.ts'

const { join } = win32

/** Device names reserved by Windows, with any extension. */
const reservedName = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

export const windowsFiles: FileRules = {
  join,
  foldersFor(instanceId) {
    const settingsFolder = join(environment.programData, brandName, instanceId)
    return {
      settingsFolder,
      logFolder: join(settingsFolder, 'Logs', `${brandName}.Agent`),
      programFolder: join(environment.programFiles, brandName, instanceId),
      // Closed to other users, as all folders of the agent are on Windows.
      readableFolder: settingsFolder,
    }
  },
  namesAreBytes: false,
  hasHeldPaths: false,
  folderOwner,
  hasModes: false,
  canBeName: (name) => !/[\u0000-\u001f<>:"\\|?*]|[. ]$/.test(name) && !reservedName.test(name),
  isDevicePath: (path) => /^[\\/]{2}[.?][\\/]/.test(path),
  rootFolders: async () => Array.from({ length: 26 }, (_, index) => `${String.fromCharCode(65 + index)}:\\`),
  deniedAdvice: '',
  folderProblem: windowsFolderProblem,
  createPrivateFolder: makeWindowsFolder,
}
