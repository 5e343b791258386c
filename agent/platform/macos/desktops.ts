import { asUser } from '../unix/agent-channel.ts'
import type { FoundDesktop, Launcher } from '../found-desktop.ts'
import { desktopProgram, spawnDesktop } from '../spawned-process.ts'
import { desktopEnvironment, isRoot } from '../../base/environment.ts'
import { runTool } from '../../base/run-tool.ts'

interface MacUser {
  name: string
  uid: number
  gid: number
  home: string
}

const consoleSession = 1
const ownUid = process.getuid?.()

/** Owner of the console, who has the screen; root owns the sign-in window. */
export function consoleOwner(output: string): { name: string; uid: number } | undefined {
  const [, uid, name] = /^(\d+) (\S+)\s*$/.exec(output) ?? []
  return name === undefined || uid === '0' ? undefined : { name, uid: Number(uid) }
}

async function consoleUser(): Promise<MacUser | undefined> {
  const owner = consoleOwner(await runTool('/usr/bin/stat', '-f', '%u %Su', '/dev/console'))
  if (!owner) {
    return undefined
  }
  const [group, folder] = await Promise.all([
    runTool('/usr/bin/id', '-g', owner.name),
    runTool('/usr/bin/dscl', '.', '-read', `/Users/${owner.name}`, 'NFSHomeDirectory'),
  ])
  const gid = /^\d+/.exec(group)?.[0]
  const home = /^NFSHomeDirectory:\s*(.+?)\s*$/m.exec(folder)?.[1]
  return gid === undefined || home === undefined ? undefined : { ...owner, gid: Number(gid), home }
}

/**
 * Launches inside the person's session, because programs see the screen only there. `launchctl asuser` starts root's
 * process there; the process then switches to the person's user itself, because `sudo` would close the channel.
 */
const launcherOf = (user: MacUser): Launcher => ({
  key: `console ${user.uid}`,
  start: (command) =>
    spawnDesktop(
      command ??
        (isRoot ? ['/bin/launchctl', 'asuser', String(user.uid), ...desktopProgram(asUser(user))] : desktopProgram()),
      { environment: desktopEnvironment({ HOME: user.home, USER: user.name, LOGNAME: user.name }) },
    ),
})

/** Finds the desktop on the screen of this Mac. Other signed-in users have no screen until they switch back. */
export async function findMacDesktops(): Promise<FoundDesktop[]> {
  const user = await consoleUser()
  const obstacle =
    user === undefined
      ? 'Nobody is signed in, and macOS shows its sign-in window to no program.'
      : isRoot || user.uid === ownUid
        ? ''
        : `It belongs to the user ${user.name}, and this agent does not run as root.`
  return [
    {
      name: 'Console',
      desktopName: '',
      username: user?.name ?? '',
      systemSessionId: consoleSession,
      type: 0,
      isSignedIn: user !== undefined,
      launcher: user && obstacle === '' ? launcherOf(user) : null,
      obstacle,
    },
  ]
}
