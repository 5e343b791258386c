import { failure, failureOf, success, successOf } from '../../shared/dtos/hub-result.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import { actorOf } from '../ground/actor.ts'
import type { App, ViewerCall } from '../call/call.ts'
import { untilRightsKnown } from '../call/running-work.ts'
import { forbidden, unauthorized } from '../ground/errors.ts'
import type { Origins } from '../engines/http/web/origins.ts'
import { WindowedCounts } from '../engines/flow/windowed-counts.ts'
import type { DeviceList } from '../fleet/device-list.ts'
import { authorize, authorizeWrite, untilCurrent, type Subject } from '../surface/authorize.ts'
import { refuseUnfinishedAccount } from '../people/unfinished-account.ts'
import { accessRights } from './rights.ts'
import { accountOf, identityOf, type Principal } from '../ground/principal.ts'
import { followDevices } from '../devices/push-devices.ts'
import { closeChat, sendChatMessage } from './chat.ts'
import {
  activeDesktopSessions,
  pressCtrlAltDel,
  requestPermission,
  requestRemoteControl,
  requestVnc,
} from './remote-control.ts'
import { closeTerminal, completeLine, createTerminal, sendTerminalInput } from './terminals/terminals.ts'
import { dropGuest } from './terminals/guests.ts'
import { uploadFromViewer } from '../files/uploads.ts'
import { wakeDevice } from '../devices/wake.ts'
import type { Hub, HubConnection } from '../engines/signalr/index.ts'
import { bindHub, type AuthorizeCall, type CallObserver, type CheckingWrites, type HubCallOf } from '../surface/bind.ts'
import { at, on, silently, type OnDevice } from '../surface/device-methods.ts'
import { forwards, refresh, sendDto } from './forwards.hub.ts'

/** Principal of a connection; anonymous connections are rejected at the handshake. */
const principalOf = ({ caller }: HubConnection) => caller.principal as Principal

function subjectOf(args: readonly unknown[]): Subject {
  const [dto] = args as [Record<string, unknown> | undefined]
  return { named: (at) => (typeof at === 'number' ? args[at] : dto?.[at]), sight: 'all' }
}

/** Checks the access rules of routes again for each call; rejects calls with an ended credential. */
const authorizeCall =
  (app: App): AuthorizeCall =>
  async (connection, { access }, args) => {
    await untilCurrent(app)
    const principal = principalOf(connection)
    if (!principal.use()) {
      throw unauthorized()
    }
    refuseUnfinishedAccount(app, principal)
    return authorize(app, principal, access, subjectOf(args))
  }

/** Runs calls whose writes wait: the caller or its right may end meanwhile (T09). */
const checkingWrites =
  (app: App): CheckingWrites =>
  (connection, { access }, args, work) => {
    const principal = principalOf(connection)
    return app.database.checkingWrites(() => {
      authorizeWrite(app, principal, access, subjectOf(args))
      refuseUnfinishedAccount(app, principal)
    }, work)
  }

type ViewerHubCall = HubCallOf<ViewerCall>

/** Reads the terminal id from either of its two member names. */
const terminalIdOf = (dto: { terminalId?: string | undefined; terminalSessionId?: string | undefined }) =>
  dto.terminalId ?? dto.terminalSessionId

const subscribe = (call: ViewerHubCall & { devices: DeviceList }, deviceIds: readonly string[]) =>
  followDevices(call, call.connection.id, call.devices, deviceIds)

const unsubscribe = ({ app, connection }: ViewerHubCall, deviceIds: readonly string[]) =>
  app.followedDevices.unfollow(connection.id, deviceIds)

function startTrace(call: ViewerHubCall & OnDevice) {
  call.app.accessTraces.start(call, call.device)
  return success
}

function noteActivity(call: ViewerHubCall, name: string) {
  call.app.accessTraces.note(call.connection.id, name)
  return success
}

const permissionsOf = ({ app, principal, device }: OnDevice) => successOf(accessRights(app, principal, device))

/** Messages per account to a device that need no answer of the device. */
const messageLimit = { limit: 120, windowMs: 60_000 }
const tooManyMessages = 'Too many messages to this device. Try again in a minute.'

/** Handlers that send a device messages without an answer, which share one limit. */
function limitedMessages(app: App) {
  const messages = new WindowedCounts(app.clock, messageLimit)
  const limited =
    <A extends unknown[], R>(send: (call: ViewerCall & OnDevice, ...args: A) => Promise<R>, refused: R) =>
    async (call: ViewerCall & OnDevice, ...args: A) =>
      messages.add(`${accountOf(call.principal)} ${call.device.id}`) <= messageLimit.limit
        ? send(call, ...args)
        : refused
  return {
    limitedRefresh: limited(refresh, failure(tooManyMessages)),
    limitedDto: limited(sendDto, failure(tooManyMessages)),
    wake: limited(on(wakeDevice), failureOf(tooManyMessages)),
  }
}

interface ViewerHubOptions {
  isStrict: boolean
  origins: Origins
  observer?: CallObserver | undefined
  forward?: Hub['forward'] | undefined
}

/** Ends what a viewer's connection had begun. */
function dropConnection(app: App, id: string): void {
  app.followedDevices.drop(id)
  app.terminals.drop(id)
  dropGuest(app, id)
  app.accessTraces.drop(id)
}

export const createViewerHub = (app: App, { isStrict, origins, observer, forward }: ViewerHubOptions) => {
  const authorizeViewer = authorizeCall(app)
  const { UploadFile } = viewerHub.methods
  const { limitedRefresh, limitedDto, wake } = limitedMessages(app)
  return bindHub<typeof viewerHub, ViewerCall>(
    viewerHub,
    {
      ...forwards,
      AddViewerActivity: noteActivity,
      AddViewerActivity2: (call, { activityName }) => noteActivity(call, activityName),
      CloseChatSession: (call, _, sessionId, targetProcessId) =>
        closeChat(call, call.device, { sessionId, targetProcessId }),
      CloseChatSession2: on(closeChat),
      CloseTerminalSession: silently(on(closeTerminal)),
      CloseTerminalSession2: (call, dto) => closeTerminal(call, call.device, terminalIdOf(dto)),
      CreateTerminalSession: at(on(createTerminal)),
      CreateTerminalSession2: (call, dto) => createTerminal(call, call.device, terminalIdOf(dto)),
      DisposeDeviceAccessActivity(call) {
        app.accessTraces.end(call.connection.id)
        return success
      },
      GetActiveDesktopSessions: async (call) => (await activeDesktopSessions(call, call.device)).value?.sessions ?? [],
      GetActiveDesktopSessions2: (call) => activeDesktopSessions(call, call.device),
      GetDeviceAccessPermissions: permissionsOf,
      GetDeviceAccessPermissions2: permissionsOf,
      GetPwshCompletions: on(completeLine),
      InvokeCtrlAltDel: (call, _, targetDesktopProcessId, desktopSessionType) =>
        pressCtrlAltDel(call, call.device, { targetDesktopProcessId, desktopSessionType }),
      InvokeCtrlAltDel2: (call, { targetDesktopProcessId, desktopSessionType }) =>
        pressCtrlAltDel(call, call.device, { targetDesktopProcessId, desktopSessionType }),
      RefreshDeviceInfo: silently(limitedRefresh),
      RefreshDeviceInfo2: (call) => limitedRefresh(call),
      RequestRemoteControlPermission: at(on(requestPermission)),
      RequestRemoteControlPermission2: (call, dto) => requestPermission(call, call.device, dto.targetProcessId),
      RequestRemoteControlSession: at(on(requestRemoteControl)),
      RequestRemoteControlSession2: on(requestRemoteControl),
      RequestVncSession: at(on(requestVnc)),
      RequestVncSession2: on(requestVnc),
      SendChatMessage: at(on(sendChatMessage)),
      SendChatMessage2: on(sendChatMessage),
      SendTerminalInput: at(on(sendTerminalInput)),
      SendTerminalInput2: (call, { input }) => sendTerminalInput(call, call.device, input),
      SendWakeDevice: at(wake),
      SendWakeDevice2: (call, { macAddresses }) => wake(call, macAddresses),
      StartDeviceAccessActivity: startTrace,
      StartDeviceAccessActivity2: startTrace,
      SendDtoToAgent: limitedDto,
      SubscribeToDeviceHeartbeats: subscribe,
      SubscribeToDeviceHeartbeats2: (call, { deviceIds }) => subscribe(call, deviceIds),
      UnsubscribeFromDeviceHeartbeats: unsubscribe,
      UnsubscribeFromDeviceHeartbeats2: (call, { deviceIds }) => {
        unsubscribe(call, deviceIds)
        return success
      },
      UploadFile(call, metadata) {
        const { connection, rawArgs } = call
        const recheck = async () => {
          try {
            await untilRightsKnown(app.database)
            return await authorizeViewer(connection, UploadFile, [metadata, ...rawArgs.slice(1)])
          } catch {
            throw forbidden(UploadFile.refused.reason!)
          }
        }
        return uploadFromViewer(
          { ...call, closed: () => connection.signal, recheck },
          call.device,
          metadata,
          call.upload,
        )
      },
    },
    {
      callOf(connection): ViewerCall {
        const principal = principalOf(connection)
        const { remoteAddress, request } = connection.caller
        const viewer = {
          connectionId: connection.id,
          identity: identityOf(principal),
          origin: origins.originOf(request!),
        }
        return { app, principal, actor: actorOf(principal, remoteAddress, request?.headers['user-agent']), viewer }
      },
      authorize: authorizeViewer,
      checkingWrites: checkingWrites(app),
      isStrict,
      observer,
      forward,
      onConnected(connection) {
        // The credential may have ended between the request and the handshake.
        if (!principalOf(connection).isLive()) {
          connection.abort()
        }
      },
      onDisconnected: ({ id }) => dropConnection(app, id),
    },
  )
}
