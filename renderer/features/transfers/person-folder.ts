import { homesOf } from '../../../shared/person-folders.ts'
import type { FilePlace } from '../../api/files.ts'
import { childOf } from '../../api/device-path.ts'
import { api } from '../../api/http.ts'

/** Platforms of a device whose people have their folders elsewhere than on Linux. */
const windows = 1
const macOS = 3

/** Whether file names of a platform are case-insensitive. */
export const ignoresCase = (platform: number): boolean => platform === windows || platform === macOS

/** Usual folders of people, best first, and those of the agent's user. */
function candidates(platform: number, people: readonly string[]): string[] {
  const common = platform === windows ? 'C:\\Users\\Public' : platform === macOS ? '/var/root' : '/root'
  return [...homesOf(platform, people), common].flatMap((home) => [childOf(home, 'Downloads'), home])
}

/** The folder of the first of these people that receives dropped files; undefined if the device has none of the usual ones. */
export async function personFolder(
  { deviceId, tenantId }: FilePlace,
  platform: number,
  people: readonly string[],
): Promise<string | undefined> {
  for (const targetPath of candidates(platform, people)) {
    const { pathExists } = await api.deviceFileSystem.pathSegments({ body: { deviceId, targetPath }, tenantId })
    if (pathExists) {
      return targetPath
    }
  }
  return undefined
}
