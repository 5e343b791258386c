import { failure, success } from '../../shared/dtos/hub-result.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import { actorOf, type App, type Call } from '../call.ts'
import { unauthorized } from '../errors.ts'
import type { DeviceList } from '../memory/fleet/device-list.ts'
import type { DeviceState } from '../memory/fleet/device-state.ts'
import { authorize } from '../policies/index.ts'
import { refusePendingPasswordChange } from '../policies/password-change.ts'
import type { Principal } from '../principal.ts'
import { tellAgent } from '../services/agents/calls.ts'
import { followDevices } from '../services/devices/heartbeats.ts'
import { closeTerminal, createTerminal, sendTerminalInput } from '../services/remote/terminals.ts'
import type { HubConnection } from '../signalr/index.ts'
import { bindHub, type AuthorizeCall, type HubCallOf } from './bind.ts'

/** The connection asked for a principal, so there is one. */
const principalOf = ({ caller }: HubConnection) => caller.principal as Principal

/** The same rules as for routes, checked again for each call; an ended session may do nothing more. */
const authorizeCall =
  (app: App): AuthorizeCall =>
  async (connection, { access }, args) => {
    const principal = principalOf(connection)
    if (!principal.use()) {
      throw unauthorized()
    }
    refusePendingPasswordChange(app, principal)
    const [dto] = args as [Record<string, unknown> | undefined]
    const named = (at: string | number) => (typeof at === 'number' ? args[at] : dto?.[at])
    return authorize(app, principal, access, { named, sight: 'all' })
  }

/** Clients know two names for the same member. */
const terminalIdOf = (dto: { terminalId?: string | undefined; terminalSessionId?: string | undefined }) =>
  dto.terminalId ?? dto.terminalSessionId

function subscribe(call: HubCallOf<Call> & { devices: DeviceList }, deviceIds: readonly string[]) {
  const reason = followDevices(call, call.connection.id, call.devices, deviceIds)
  return reason === undefined ? success : failure(reason)
}

const unsubscribe = ({ app, connection }: HubCallOf<Call>, deviceIds: readonly string[]) =>
  app.heartbeats.unfollow(connection.id, deviceIds)

const refreshDevice = (call: HubCallOf<Call> & { device: DeviceState }) =>
  tellAgent(call, call.device, (agent) => agent.RefreshDeviceInfo())

export const createViewerHub = (app: App, isStrict: boolean) =>
  bindHub<typeof viewerHub, Call>(
    viewerHub,
    {
      CreateTerminalSession: (call, _, id) => createTerminal(call, call.connection.id, call.device, id),
      CreateTerminalSession2: (call, dto) => createTerminal(call, call.connection.id, call.device, terminalIdOf(dto)),
      SendTerminalInput: (call, _, input) => sendTerminalInput(call, call.connection.id, call.device, input),
      SendTerminalInput2: (call, { input }) => sendTerminalInput(call, call.connection.id, call.device, input),
      CloseTerminalSession: async (call, _, id) => void (await closeTerminal(call, call.device, id)),
      CloseTerminalSession2: (call, dto) => closeTerminal(call, call.device, terminalIdOf(dto)),
      RefreshDeviceInfo: async (call) => void (await refreshDevice(call)),
      RefreshDeviceInfo2: (call) => refreshDevice(call),
      SubscribeToDeviceHeartbeats: subscribe,
      SubscribeToDeviceHeartbeats2: (call, { deviceIds }) => subscribe(call, deviceIds),
      UnsubscribeFromDeviceHeartbeats: unsubscribe,
      UnsubscribeFromDeviceHeartbeats2: (call, { deviceIds }) => {
        unsubscribe(call, deviceIds)
        return success
      },
    },
    {
      callOf(connection): Call {
        const principal = principalOf(connection)
        return { app, principal, actor: actorOf(principal, connection.caller.remoteAddress) }
      },
      authorize: authorizeCall(app),
      isStrict,
      onConnected(connection) {
        // The credential may have ended between the request that opened the connection and its handshake.
        if (!principalOf(connection).isLive()) {
          connection.abort()
        }
      },
      onDisconnected(connection) {
        app.heartbeats.drop(connection.id)
        app.terminals.drop(connection.id)
      },
    },
  )
