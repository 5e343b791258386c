import { posix } from 'node:path'
import { environment } from '../../base/environment.ts'
import { brandName } from '../../base/paths.ts'
import type { FileRules } from '../platform.ts'
import { ownerNames } from './owner-names.ts'
import { makeUnixFolder, unixFolderProblem } from './private-folder.ts'

const { join } = posix

/** File rules that Linux and macOS share; `programs` holds the program folders of services. */
export const unixFiles = (
  programs: string,
): Omit<FileRules, 'namesAreBytes' | 'hasHeldPaths' | 'rootFolders' | 'deniedAdvice' | 'folderOwner'> => ({
  join,
  foldersFor(instanceId, asRoot) {
    const settings = join(environment.home, '.farhand', instanceId)
    return asRoot
      ? {
          settingsFolder: join('/etc/farhand', instanceId),
          logFolder: join('/var/log/farhand', instanceId, `${brandName}.Agent`),
          programFolder: join(programs, brandName, instanceId),
          readableFolder: join('/var/lib/farhand', instanceId),
        }
      : {
          settingsFolder: settings,
          logFolder: join(settings, 'Logs'),
          programFolder: join(settings, 'program'),
          readableFolder: settings,
        }
  },
  hasModes: true,
  ownerNames,
  canBeName: () => true,
  isDevicePath: () => false,
  folderProblem: unixFolderProblem,
  createPrivateFolder: makeUnixFolder,
})
