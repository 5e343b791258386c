import { memberOf } from '../../shared/contract/lenient.ts'
import { failure, success } from '../../shared/dtos/hub-result.ts'
import { agentHub } from '../../shared/hubs/agent-hub.ts'
import { actorOf } from '../ground/actor.ts'
import type { App, OpenCall } from '../call/call.ts'
import { untilRightsKnown } from '../call/running-work.ts'
import { countedAddress } from '../engines/http/web/remote-address.ts'
import { WindowedCounts } from '../engines/flow/windowed-counts.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { RawSignedUpdate } from './device-signatures.ts'
import type { StreamKind } from '../engines/flow/stream-bridge.ts'
import { forbidden } from '../ground/errors.ts'
import { authorize } from '../surface/authorize.ts'
import { noteEvidence } from '../devices/absence-evidence.ts'
import { confirmPowerOrder, takePowerState } from '../devices/power-orders.ts'
import { noteEnd } from '../devices/load-recording.ts'
import { takeSignedUpdate, takeUnsignedUpdate, type UpdateOrigin, type UpdateResult } from './device-reports.ts'
import { passChatResponse } from '../remote/chat.ts'
import { passTerminalOutput } from '../remote/terminals/output.ts'
import { resumeTerminals } from '../remote/terminals/terminals.ts'
import { noteHeard } from '../remote/session-lifecycle.ts'
import type { HubConnection } from '../engines/signalr/index.ts'
import { CheckedConnections } from '../surface/checked-connections.ts'
import { bindHub, type AuthorizeCall, type CallObserver, type HubCallOf } from '../surface/bind.ts'

/** Device that a connection has proved with a valid update, and the number of its updates that are not rejected. */
interface Claim {
  deviceId: string
  updates: number
}

/** Id of the device of a connection. Each call checks whether the connection is still the device's active one. */
const claimedDeviceId = (connection: HubConnection) => (connection.state as Claim | undefined)?.deviceId

/** Device whose active connection this is. */
function provenDevice(app: App, connection: HubConnection): DeviceState | undefined {
  const deviceId = claimedDeviceId(connection)
  const device = deviceId === undefined ? undefined : app.fleet.get(deviceId)
  return device?.connectionId === connection.id ? device : undefined
}

/** Time limit to prove a device: anyone may connect, and unproved connections occupy places (T20). */
const proofMs = 30_000

/**
 * Closes connections that prove no device in time. The agent may reconnect, because its device may be registered
 * meanwhile. A connection that a second machine has displaced stays: with a new one, it would not be the one that returns (T47).
 */
const unprovedLimit = (app: App) =>
  new CheckedConnections(app.clock, proofMs, (connection) => {
    if (claimedDeviceId(connection) === undefined) {
      connection.abort({ allowReconnect: true })
    }
  })

/** Self-enrollments per remote address. */
const enrollmentLimit = { limit: 20, windowMs: 60_000 }

const originOf = (connection: HubConnection, enrollments: WindowedCounts): UpdateOrigin => ({
  connectionId: connection.id,
  remoteAddress: connection.caller.remoteAddress,
  isOpen: () => connection.endedBy === undefined,
  claim(deviceId) {
    const claim = (connection.state ??= { deviceId, updates: 0 }) as Claim
    if (claim.deviceId !== deviceId) {
      return undefined
    }
    claim.updates++
    return {
      release() {
        claim.updates--
        if (claim.updates === 0) {
          connection.state = undefined
        }
      },
    }
  },
  mayEnroll: () => enrollments.add(countedAddress(connection.caller.remoteAddress)) <= enrollmentLimit.limit,
})

/** Reads members in their original spelling and order; the schema has already validated them. */
const rawUpdate = (arg: unknown): RawSignedUpdate => ({
  dto: memberOf(arg as object, 'dto') as Record<string, unknown>,
  timestamp: String(memberOf(arg as object, 'timestamp')),
  signature: String(memberOf(arg as object, 'signature')),
  publicKey: (memberOf(arg as object, 'publicKey') as string | null | undefined) ?? null,
})

const authorizeCall =
  (app: App): AuthorizeCall =>
  async (connection, { access }) => {
    // Output of a device goes to viewers, whose right to it may have ended.
    await untilRightsKnown(app.database)
    if (app.cluster?.isCurrent === false) {
      // Another server may speak for the device by now: the agent finds out where it belongs.
      connection.abort({ allowReconnect: true })
      throw forbidden()
    }
    return authorize(app, undefined, access, {
      named: () => undefined,
      sight: 'all',
      agentDevice: provenDevice(app, connection),
    })
  }

type StreamCall = HubCallOf<OpenCall> & { upload: AsyncIterable<unknown> }

/** Delivers a stream to its request; drops a stream without a waiting request. */
async function deliver({ app, connection, upload: items }: StreamCall, kind: StreamKind, id: string, note?: unknown) {
  const isRead = await app.streams.deliver({ id, kind, connectionId: connection.id }, { items, note })
  return isRead ? success : failure('Nobody takes this stream.')
}

/** Lifts the limits of unproved connections after an accepted update. */
async function proving(
  connection: HubConnection,
  deviceId: string,
  update: Promise<UpdateResult>,
): Promise<UpdateResult> {
  const result = await update
  if (result.isSuccess) {
    connection.prove(deviceId)
  }
  return result
}

interface AgentHubOptions {
  isStrict: boolean
  observer?: CallObserver | undefined
}

export function createAgentHub(app: App, { isStrict, observer }: AgentHubOptions) {
  const enrollments = new WindowedCounts(app.clock, enrollmentLimit)
  const unproved = unprovedLimit(app)
  return bindHub<typeof agentHub, OpenCall>(
    agentHub,
    {
      UpdateDevice: ({ connection }, dto) =>
        proving(connection, dto.id, takeUnsignedUpdate(app, dto, originOf(connection, enrollments))),
      UpdateDeviceSigned: ({ connection, rawArgs }, update) =>
        proving(
          connection,
          update.dto.id,
          takeSignedUpdate(app, update, rawUpdate(rawArgs[0]), originOf(connection, enrollments)),
        ),
      SendChatResponse: (call, response) => passChatResponse(call, call.device, response),
      SendTerminalOutputToViewer: (call, viewerConnectionId, output) =>
        passTerminalOutput(call, call.device, viewerConnectionId, output, call.releaseSlot),
      SendOpenTerminals: (call, terminals) => {
        call.app.recorders.tellAgain(call.device.id)
        return resumeTerminals(call, call.device, terminals)
      },
      SendStopNotice: (call, reason) =>
        noteEvidence(app, call.device.id, { announced: { at: app.clock.now(), reason } }),
      SendWrongIdentity: (call, { agoMs, address, seen }) =>
        noteEvidence(app, call.device.id, { stranger: { at: app.clock.now() - agoMs, address, seen } }),
      SendConsentAnswers({ device }, answers) {
        app.consentAnswers.report(device, answers)
      },
      SendSessionHeard: (call, sessionId) => noteHeard(call, call.device, sessionId),
      SendPowerState: (call, state) => takePowerState(call, call.device, state),
      ConfirmPowerOrder: (call, orderId) => confirmPowerOrder(call, call.device, orderId),
      SendUpdateRefusal: (call, reason) =>
        noteEvidence(app, call.device.id, { updateRefused: reason === null ? null : { at: app.clock.now(), reason } }),
      SendDesktopPreviewStream: async (call, id) => void (await deliver(call, 'preview', id)),
      SendDirectoryContentsStream: async (call, id, exists) => void (await deliver(call, 'directory', id, exists)),
      SendFileContentStream: (call, id) => deliver(call, 'file', id),
      SendSubdirectoriesStream: async (call, id) => void (await deliver(call, 'subdirectories', id)),
      GetFileStreamFromViewer({ connection: { id }, device }, { streamId }) {
        const { streams, remoteBytes } = app
        return remoteBytes && !streams.isOffered(streamId, id)
          ? remoteBytes.stream(streamId, { connectionId: id, deviceId: device.id })
          : streams.fetch(streamId, id)
      },
    },
    {
      callOf: ({ caller }): OpenCall => ({
        app,
        principal: undefined,
        actor: actorOf(undefined, caller.remoteAddress),
      }),
      authorize: authorizeCall(app),
      isStrict,
      observer,
      onConnected: (connection) => unproved.add(connection),
      async onDisconnected(connection) {
        unproved.remove(connection)
        const deviceId = claimedDeviceId(connection)
        const wasSpeaking = provenDevice(app, connection) !== undefined
        const disconnected = deviceId === undefined ? undefined : app.fleet.disconnect(deviceId, connection.id)
        app.streams.drop(connection.id)
        app.consentAnswers.forget(connection.id)
        app.powerStates.forget(connection.id)
        await Promise.all([
          disconnected,
          deviceId !== undefined && noteEnd(app, deviceId, connection.endedBy, wasSpeaking),
        ])
      },
    },
  )
}
