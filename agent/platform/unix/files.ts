import { posix } from 'node:path'
import { environment } from '../../base/environment.ts'
import { brandName } from '../../base/paths.ts'
import type { FileRules } from '../platform.ts'
import { makeUnixFolder, unixFolderProblem } from './private-folder.ts'
import { readFile } from 'node:fs/promises'

/** Name of an id in a file such as /etc/passwd; the id as text if the file does not have it. */
async function nameIn(file: string, id: number): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const line = text.split('\n').find((each) => each.split(':')[2] === String(id))
  return line?.split(':')[0] ?? String(id)
}

/** Names of the owner and the group of a file. */
const ownerNames = async ({ uid, gid }: { uid: number; gid: number }) => ({
  owner: await nameIn('/etc/passwd', uid),
  group: await nameIn('/etc/group', gid),
})

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
