import { deviceNotConnected, failure, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { ViewerCall } from '../call/call.ts'
import type { AnnouncedRelay, Relay } from '../call/clients.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { RemoteSession } from './remote-sessions.ts'
import { askAgent, type Agent } from '../devices/calls.ts'
import { accountOf } from '../ground/principal.ts'
import { effectivePreferences } from '../people/preferences.ts'
import { nameOfVisitor } from '../people/names.ts'
import { openRecorder, refusalOfUnrecorded } from '../recordings/open-recorder.ts'
import { relayTicket, type RelayTicket } from './relay-address.ts'
import { beginSessionAs, sessionEnded } from './session-lifecycle.ts'

/** Viewer fields of a request to the device; overrides the fields sent by the viewer. */
export async function viewerFields(call: ViewerCall, device: DeviceState) {
  const { notifyUserOnSessionStart } = await effectivePreferences(call, device.tenantId)
  return {
    deviceId: device.id,
    viewerConnectionId: call.viewer.connectionId,
    viewerName: nameOfVisitor(call),
    organizationName: call.app.tenants.get(device.tenantId)?.name,
    notifyUserOnSessionStart,
  }
}

interface RelaySessionRequest {
  kind: 'remote-control' | 'vnc'
  device: DeviceState
  dto: { sessionId: string; websocketUri: string }
  canInteract?: boolean
  isAllowed?(): boolean
  ask(agent: Agent, address: string, isRecorded: boolean): Promise<HubResult>
}

/**
 * Announces a session to the relay, then asks the device's agent to connect. Both roles are bound: the requester to the
 * caller's identity, the responder to the token sent only to the device.
 */
export async function requestRelaySession(call: ViewerCall, request: RelaySessionRequest): Promise<HubResult> {
  const { viewer } = call
  const { kind, device, dto, ask, canInteract, isAllowed } = request
  if (device.connectionId === '') {
    return failure(deviceNotConnected)
  }
  const ticket = relayTicket(call, device, dto)
  if (!ticket) {
    return failure('The address must be that of the relay of this server, for this session, with role=responder.')
  }
  let session: RemoteSession | undefined
  let stop = (_reason: string) => {}
  const recorder = await recorderOf(call, ticket, request, (reason) => stop(reason))
  if (typeof recorder === 'string') {
    return failure(recorder)
  }
  const relay = announce(call, ticket, {
    onStart: () => {
      if (session) {
        session.isConnected = true
      }
      void recorder?.begin()
    },
    ...(recorder && { onPiece: (...piece) => recorder.screen?.take(...piece) }),
    onEnd: (reason) => {
      if (recorder) {
        call.app.recorders.end(recorder)
      }
      if (session) {
        sessionEnded(call.app, session, reason)
      }
    },
  })
  if (typeof relay === 'string') {
    if (recorder) {
      call.app.recorders.end(recorder)
    }
    return failure(relay)
  }
  stop = (reason) => relay.end(reason)
  session = beginSessionAs(call, ticket.sessionId, {
    kind,
    device,
    viewerConnectionId: viewer.connectionId,
    bytesToDevice: () => relay.requesterBytes,
    bytesFromDevice: () => relay.responderBytes,
    ...(canInteract !== undefined && { canInteract }),
    ...(isAllowed && { isAllowed }),
    stop,
  })
  if (!session) {
    relay.end('Another session has this id.')
    return failure('Another session has this id. Make a new one.')
  }
  const answer = await askAgent(call, device, (agent) => ask(agent, ticket.address, recorder?.mode === 'always'))
  if (!answer.isSuccess) {
    relay.end('The device refused the session.')
  }
  await call.app.audit.settled()
  return answer
}

/** Opens the recorder of a session; returns the reason why a session that must be recorded cannot be. */
async function recorderOf(
  { app, principal, actor }: ViewerCall,
  { sessionId }: RelayTicket,
  { kind, device, canInteract }: RelaySessionRequest,
  stop: (reason: string) => void,
) {
  if (kind === 'vnc') {
    return await refusalOfUnrecorded(app, device)
  }
  const session = { id: sessionId, kind: 'screen', principal, actor, canInteract: canInteract ?? true, stop } as const
  return await openRecorder(app, device, session)
}

/** Announces a session; returns the relay's side, or the reason why the relay rejects it. */
function announce(
  { app, viewer, principal }: ViewerCall,
  { sessionId, tokenHash, waitMs }: RelayTicket,
  { onEnd, ...events }: Pick<Parameters<Relay['announce']>[0], 'onStart' | 'onPiece'> & { onEnd(reason: string): void },
): AnnouncedRelay | string {
  const requester = viewer.identity
  try {
    return app.relay.announce({
      sessionId,
      tokenHash,
      waitMs,
      requester,
      account: accountOf(principal),
      ...events,
      onEnd: ({ reason }) => onEnd(reason),
    })
  } catch (error) {
    return (error as Error).message
  }
}
