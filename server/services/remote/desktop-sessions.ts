import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import type { App, Principal } from '../../context.ts'
import { AppError, conflict } from '../../errors.ts'
import { mayUseDesktopSession } from '../../policies/desktop-session.ts'
import { callAgent } from '../agents/calls.ts'

/** The desktop sessions of a device that the principal may use. */
export async function desktopSessions(app: App, principal: Principal, deviceId: string): Promise<DesktopSession[]> {
  if (app.fleet.get(deviceId)?.connectionId === '') {
    throw conflict('Device is not currently online.')
  }
  try {
    const sessions = await callAgent(app, deviceId, (agent) => agent.GetActiveDesktopSessions())
    return sessions.filter(({ systemSessionId }) => mayUseDesktopSession(principal, systemSessionId))
  } catch (error) {
    throw new AppError(500, (error as Error).message)
  }
}
