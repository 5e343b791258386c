import type { FoundDesktop } from '../found-desktop.ts'
import { launcherOf } from './launcher.ts'
import { listSessions, ownSession, type WindowsSession } from './sessions.ts'
import { ownSid, systemSid } from './users.ts'

/** Session and user of the agent's process. */
interface Self {
  session: number
  isSystem: boolean
}

/** Obstacles that keep a session from being shown; the first that applies is reported. */
const obstacles: readonly [applies: (session: WindowsSession, self: Self) => boolean, text: string][] = [
  [
    ({ user }, self) => user === '' && !self.isSystem,
    'Nobody is signed in, and only an agent that runs as a Windows service shows the sign-in screen. Sign in at the device or by Remote Desktop.',
  ],
  [({ isConnected }) => !isConnected, 'It has no screen while nobody is connected to it.'],
  [
    ({ isLocked }, self) => isLocked === true && !self.isSystem,
    'It is locked, and only an agent that runs as a Windows service sees the lock screen. The person there can unlock it.',
  ],
  [
    ({ id }, self) => id !== self.session && !self.isSystem,
    'Only the Windows service starts programs in the sessions of others, and this agent does not run as one.',
  ],
] // prettier-ignore

export function describeSession(session: WindowsSession, self: Self): FoundDesktop {
  const { id, user, station, isRemote } = session
  const obstacle = obstacles.find(([applies]) => applies(session, self))?.[1] ?? ''
  return {
    name: isRemote ? `Remote Desktop: ${station}` : station,
    desktopName: '',
    username: user,
    systemSessionId: id,
    type: isRemote ? 1 : 0,
    isSignedIn: user !== '',
    launcher: obstacle === '' ? launcherOf(session, id === self.session) : null,
    obstacle,
  }
}

export async function findDesktops(): Promise<FoundDesktop[]> {
  const [sessions, session, sid] = await Promise.all([listSessions(), ownSession(), ownSid()])
  return sessions.map((one) => describeSession(one, { session, isSystem: sid === systemSid }))
}
