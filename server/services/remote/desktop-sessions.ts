import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import type { Call } from '../../call.ts'
import { AppError, conflict } from '../../errors.ts'
import type { DeviceState } from '../../mirrors/fleet/device-state.ts'
import { mayUseDesktopSession } from '../../policies/desktop-session.ts'
import { callAgent } from '../agent-calls/calls.ts'

/** Desktop sessions of a device that the principal may use. */
export async function desktopSessions(call: Call, device: DeviceState): Promise<DesktopSession[]> {
  if (device.connectionId === '') {
    throw conflict('Device is not currently online.')
  }
  try {
    const sessions = await callAgent(call, device, (agent) => agent.GetActiveDesktopSessions())
    return sessions.filter(({ systemSessionId }) => mayUseDesktopSession(call.principal, systemSessionId))
  } catch (error) {
    throw new AppError(500, (error as Error).message)
  }
}
