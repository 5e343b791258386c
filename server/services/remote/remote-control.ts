import type { z } from 'zod'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { failure, failureOf, successOf, type HubResult } from '../../../shared/dtos/hub-result.ts'
import type {
  ActiveDesktopSessionsResult,
  RemoteControlSessionRequestDto,
  VncSessionRequestDto,
} from '../../../shared/dtos/remote-control.ts'
import type { Call, ViewerCall } from '../../call.ts'
import type { DeviceState } from '../../memory/fleet/device-state.ts'
import { mayUseDesktopSession } from '../../policies/desktop-session.ts'
import { sessionPolicy } from '../../policies/remote-session.ts'
import { askAgent } from '../agents/calls.ts'
import { requestRelaySession, viewerFields } from './relay-sessions.ts'

export const desktopNotAuthorized = failure('The requested desktop session is not authorized.')

/** The desktops of a device that the caller may use, for a hub call. */
export async function activeDesktopSessions(
  call: Call,
  device: DeviceState,
): Promise<z.output<typeof ActiveDesktopSessionsResult>> {
  let sessions: DesktopSession[] = []
  const answer = await askAgent(call, device, async (agent) => {
    sessions = await agent.GetActiveDesktopSessions()
    return successOf(null)
  })
  return answer.isSuccess
    ? successOf({
        sessions: sessions.filter(({ systemSessionId }) => mayUseDesktopSession(call.principal, systemSessionId)),
      })
    : failureOf(answer.reason!)
}

/** Has a desktop connect to the relay. What the caller may do there goes along, and is fixed for the session (T05). */
export async function requestRemoteControl(
  call: ViewerCall,
  device: DeviceState,
  dto: RemoteControlSessionRequestDto,
): Promise<HubResult> {
  const { app, principal } = call
  if (!mayUseDesktopSession(principal, dto.targetSystemSession)) {
    return desktopNotAuthorized
  }
  const fields = await viewerFields(call, device)
  const policy = sessionPolicy(app, principal, device)
  const hasSamePolicy = () => {
    const current = app.fleet.get(device.id)
    return current !== undefined && isAtLeast(sessionPolicy(app, principal, current), policy)
  }
  return await requestRelaySession(call, {
    kind: 'remote-control',
    device,
    dto,
    isAllowed: hasSamePolicy,
    ask: (agent, websocketUri) => agent.CreateRemoteControlSession({ ...dto, ...fields, websocketUri, policy }),
  })
}

/** Whether everything that was allowed still is: a session with less is another one. */
const isAtLeast = <P extends Record<string, boolean>>(now: P, before: P) =>
  Object.entries(before).every(([name, wasAllowed]) => !wasAllowed || now[name])

/** Has the agent join a VNC server of its machine to the relay. */
export async function requestVnc(call: ViewerCall, device: DeviceState, dto: VncSessionRequestDto): Promise<HubResult> {
  const fields = await viewerFields(call, device)
  return await requestRelaySession(call, {
    kind: 'vnc',
    device,
    dto,
    ask: (agent, websocketUri) => agent.CreateVncSession({ ...dto, ...fields, websocketUri }),
  })
}
