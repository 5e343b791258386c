import type { z } from 'zod'
import type { DesktopSession } from '../../shared/dtos/desktop-session.ts'
import { failure, failureOf, successOf, type HubResult } from '../../shared/dtos/hub-result.ts'
import type {
  ActiveDesktopSessionsResult,
  RemoteControlSessionRequestDto,
  VncSessionRequestDto,
} from '../../shared/dtos/remote-control.ts'
import { openPolicy, type SessionPolicy } from '../../shared/remote-control/policy.ts'
import type { Call, ViewerCall } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { ruleForSession } from './consent.ts'
import { mayUseAllDesktops, mayUseDesktopSession } from './desktop-sessions.ts'
import { sessionPolicy } from './rights.ts'
import { askAgent } from '../devices/calls.ts'
import { nameOfVisitor } from '../people/names.ts'
import { requestRelaySession, viewerFields } from './relay-sessions.ts'

const desktopNotAuthorized = failure('The requested desktop session is not authorized.')

/** Result of a hub call: desktops of a device that the caller may use. */
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

/**
 * Returns the reason why the caller may not use a desktop, or undefined. Devices find a desktop by process id, and a
 * viewer could send the process id of another desktop: for callers limited to some desktops, the device is asked whose
 * desktop it is (T05).
 */
export async function refusalOfDesktop(
  call: Call,
  device: DeviceState,
  { targetProcessId, targetSystemSession }: { targetProcessId: number; targetSystemSession?: number },
): Promise<HubResult | undefined> {
  if (mayUseAllDesktops(call.principal)) {
    return undefined
  }
  const { isSuccess, reason, value } = await activeDesktopSessions(call, device)
  if (!isSuccess) {
    return failure(reason!)
  }
  const isThatOne = value?.sessions.some(
    ({ processId, systemSessionId }) =>
      processId === targetProcessId && (targetSystemSession ?? systemSessionId) === systemSessionId,
  )
  return isThatOne ? undefined : desktopNotAuthorized
}

/** Asks the person at a desktop for permission, with a prompt of the operating system; waits for the answer. */
export async function requestPermission(call: Call, device: DeviceState, targetProcessId: number): Promise<HubResult> {
  const refusal = await refusalOfDesktop(call, device, { targetProcessId })
  return (
    refusal ??
    (await askAgent(call, device, (agent) => agent.RequestRemoteControlPermission(targetProcessId), {
      waitsForPerson: true,
    }))
  )
}

export async function pressCtrlAltDel(
  call: Call,
  device: DeviceState,
  target: { targetDesktopProcessId: number; desktopSessionType: DesktopSession['type'] },
): Promise<HubResult> {
  const refusal = await refusalOfDesktop(call, device, { targetProcessId: target.targetDesktopProcessId })
  const invokerUserName = nameOfVisitor(call) || 'Unknown'
  return refusal ?? (await askAgent(call, device, (agent) => agent.InvokeCtrlAltDel({ ...target, invokerUserName })))
}

/** Leaves out the rule about consent, which the server alone decides (T05). */
const withoutRule = <D extends { consent?: unknown }>({ consent: _, ...dto }: D): Omit<D, 'consent'> => dto

/** Asks a desktop to connect to the relay. The caller's permissions are sent along, and fixed for the session (T05). */
export async function requestRemoteControl(
  call: ViewerCall,
  device: DeviceState,
  dto: RemoteControlSessionRequestDto,
): Promise<HubResult> {
  const { app, principal } = call
  const refusal = await refusalOfDesktop(call, device, dto)
  if (refusal) {
    return refusal
  }
  const policy = atMost(sessionPolicy(app, principal, device), dto.policy ?? openPolicy)
  const hasSamePolicy = () => {
    const current = app.fleet.get(device.id)
    return current !== undefined && isAtLeast(sessionPolicy(app, principal, current), policy)
  }
  const subject = policy.canInteract ? 'control' : 'viewing'
  const [fields, consent] = await Promise.all([
    viewerFields(call, device),
    ruleForSession(call, device, subject, { isWanted: dto.requireConsent }),
  ])
  return await requestRelaySession(call, {
    kind: 'remote-control',
    device,
    dto,
    canInteract: policy.canInteract,
    isAllowed: hasSamePolicy,
    ask: (agent, websocketUri, isRecorded) =>
      consent.recorded(
        agent.CreateRemoteControlSession({
          ...withoutRule(dto),
          ...fields,
          ...consent.fields,
          requireConsent: dto.requireConsent || consent.asksNow,
          websocketUri,
          policy,
          isRecorded,
        }),
      ),
  })
}

/** Intersects permitted and requested rights, so that the device enforces a view-only request. */
const atMost = (permitted: SessionPolicy, wanted: SessionPolicy): SessionPolicy => ({
  canInteract: permitted.canInteract && wanted.canInteract,
  canReadClipboard: permitted.canReadClipboard && wanted.canReadClipboard,
  canWriteClipboard: permitted.canWriteClipboard && wanted.canWriteClipboard,
  canBlockInput: permitted.canBlockInput && wanted.canBlockInput,
  canUseSecureDesktop: permitted.canUseSecureDesktop && wanted.canUseSecureDesktop,
  canHear: permitted.canHear && wanted.canHear,
})

/** Whether all rights of a session still hold; fewer rights need a new session. */
const isAtLeast = <P extends Record<string, boolean>>(now: P, before: P) =>
  Object.entries(before).every(([name, wasAllowed]) => !wasAllowed || now[name])

/** Asks the agent to connect a VNC server of its machine to the relay. */
export async function requestVnc(call: ViewerCall, device: DeviceState, dto: VncSessionRequestDto): Promise<HubResult> {
  if (!mayUseAllDesktops(call.principal)) {
    // A VNC server shows any desktop (T05).
    return desktopNotAuthorized
  }
  const fields = await viewerFields(call, device)
  const consent = await ruleForSession(call, device, 'control')
  return await requestRelaySession(call, {
    kind: 'vnc',
    device,
    dto,
    ask: (agent, websocketUri) =>
      consent.recorded(
        consent.isEnforced || !consent.asksNow
          ? agent.CreateVncSession({ ...withoutRule(dto), ...fields, ...consent.fields, websocketUri })
          : Promise.resolve(failure(consent.cannotAsk)),
      ),
  })
}
