import { deviceNotConnected, failure, success } from '../../shared/dtos/hub-result.ts'
import type { TerminalInputDto } from '../../shared/dtos/terminal.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import type { App, Principal } from '../context.ts'
import { unauthorized } from '../errors.ts'
import { permit, permitOn } from '../policies/index.ts'
import { refusePendingPasswordChange } from '../policies/password-change.ts'
import { askAgent } from '../services/agents/calls.ts'
import { bindHub, type CheckAccess, type HubContext } from './bind.ts'

/** The same rules as for routes, asked anew for each call; a session that has ended may do nothing more. */
const checkAccess =
  (app: App): CheckAccess =>
  ({ principal }, { access }, args) => {
    if (!principal?.isLive()) {
      throw unauthorized()
    }
    refusePendingPasswordChange(app, principal)
    permit(app, principal, access)
    void permitOn(app, principal, access, (at) =>
      typeof at === 'number' ? args[at] : (args[0] as Record<string, unknown>)[at],
    )
  }

/** The connection asked for a principal, so there is one. */
const viewerOf = ({ connection, principal }: HubContext) => ({
  connectionId: connection.id,
  principal: principal as Principal,
})

/** The contract has two names for the same member. */
const terminalIdOf = (dto: { terminalId?: string | undefined; terminalSessionId?: string | undefined }) =>
  dto.terminalId ?? dto.terminalSessionId

const noTerminalId = failure('A terminal id is required.')

export function createViewerHub(app: App, isStrict: boolean) {
  const createTerminal = (context: HubContext, deviceId: string, terminalId: string | undefined) => {
    if (terminalId === undefined) {
      return noTerminalId
    }
    const viewer = viewerOf(context)
    app.terminals.open(viewer, deviceId)
    return askAgent(app, deviceId, (agent) => agent.CreateTerminalSession(terminalId, viewer.connectionId))
  }

  const sendInput = (context: HubContext, deviceId: string, input: TerminalInputDto) => {
    const viewer = viewerOf(context)
    app.terminals.open(viewer, deviceId)
    return askAgent(app, deviceId, (agent) =>
      agent.ReceiveTerminalInput({ ...input, viewerConnectionId: viewer.connectionId }),
    )
  }

  /** Tells a connected agent something that it does not answer. */
  const tell = async (deviceId: string, send: (connectionId: string) => Promise<void>) => {
    const connectionId = app.fleet.get(deviceId)?.connectionId ?? ''
    if (connectionId === '') {
      return failure(deviceNotConnected)
    }
    await send(connectionId)
    return success
  }

  const closeTerminal = (deviceId: string, terminalId: string | undefined) =>
    terminalId === undefined
      ? noTerminalId
      : tell(deviceId, (connectionId) => app.hubs.agent.send(connectionId).CloseTerminalSession(terminalId))

  const refresh = (deviceId: string) =>
    tell(deviceId, (connectionId) => app.hubs.agent.send(connectionId).RefreshDeviceInfo())

  const subscribe = (context: HubContext, deviceIds: readonly string[]) => {
    const reason = app.heartbeats.subscribe(viewerOf(context), deviceIds)
    return reason === undefined ? success : failure(reason)
  }

  const unsubscribe = ({ connection }: HubContext, deviceIds: readonly string[]) =>
    app.heartbeats.unsubscribe(connection.id, deviceIds)

  return bindHub(
    viewerHub,
    {
      CreateTerminalSession: (context, deviceId, id) => createTerminal(context, deviceId, id),
      CreateTerminalSession2: (context, dto) => createTerminal(context, dto.deviceId, terminalIdOf(dto)),
      SendTerminalInput: (context, deviceId, input) => sendInput(context, deviceId, input),
      SendTerminalInput2: (context, { deviceId, input }) => sendInput(context, deviceId, input),
      CloseTerminalSession: async (_, deviceId, id) => void (await closeTerminal(deviceId, id)),
      CloseTerminalSession2: (_, dto) => closeTerminal(dto.deviceId, terminalIdOf(dto)),
      RefreshDeviceInfo: async (_, deviceId) => void (await refresh(deviceId)),
      RefreshDeviceInfo2: (_, { deviceId }) => refresh(deviceId),
      SubscribeToDeviceHeartbeats: (context, deviceIds) => subscribe(context, deviceIds),
      SubscribeToDeviceHeartbeats2: (context, { deviceIds }) => subscribe(context, deviceIds),
      UnsubscribeFromDeviceHeartbeats: (context, deviceIds) => unsubscribe(context, deviceIds),
      UnsubscribeFromDeviceHeartbeats2: (context, { deviceIds }) => {
        unsubscribe(context, deviceIds)
        return success
      },
    },
    {
      check: checkAccess(app),
      isStrict,
      onConnected(connection) {
        // The credential may have ended between the request that opened the connection and its handshake.
        if (!(connection.caller.principal as Principal).isLive()) {
          connection.abort()
        }
      },
      onDisconnected(connection) {
        app.heartbeats.drop(connection.id)
        app.terminals.drop(connection.id)
      },
    },
  )
}
