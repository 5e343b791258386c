import { agentHub } from '../../shared/hubs/agent-hub.ts'
import type { App } from '../context.ts'
import { forbidden } from '../errors.ts'
import type { RawSignedUpdate } from '../services/device-signatures.ts'
import type { UpdateOrigin, UpdateResult } from '../services/device-updates.ts'
import type { HubConnection } from '../signalr/hub.ts'
import { bindHub, type CheckAccess } from './bind.ts'

/** The device that a connection has proved to be. */
const deviceOf = (connection: HubConnection) => connection.state as string | undefined

const originOf = (connection: HubConnection): UpdateOrigin => ({
  connectionId: connection.id,
  remoteAddress: connection.caller.remoteAddress,
  deviceId: deviceOf(connection),
})

/** An accepted update proves the device, for as long as the connection lives. */
function proved(connection: HubConnection, result: UpdateResult): UpdateResult {
  if (result.isSuccess && result.value) {
    connection.state = result.value.id
  }
  return result
}

/** Members of a DTO by their wire spelling in camelCase, whatever case they came in. */
const member = (holder: Record<string, unknown>, name: string) =>
  holder[name] ?? Object.entries(holder).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]

function rawUpdate(arg: unknown): RawSignedUpdate {
  const holder = arg as Record<string, unknown>
  return {
    dto: member(holder, 'dto') as Record<string, unknown>,
    timestamp: String(member(holder, 'timestamp')),
    signature: String(member(holder, 'signature')),
    publicKey: (member(holder, 'publicKey') as string | null | undefined) ?? null,
  }
}

const checkAccess =
  (app: App): CheckAccess =>
  ({ connection }, { access }) => {
    const deviceId = deviceOf(connection)
    const isCurrent = deviceId !== undefined && app.fleet.get(deviceId)?.connectionId === connection.id
    if (access !== 'anonymous' && !(access === 'agent' && isCurrent)) {
      throw forbidden()
    }
  }

export const createAgentHub = (app: App, isStrict: boolean) =>
  bindHub(
    agentHub,
    {
      UpdateDevice: async ({ connection }, dto) =>
        proved(connection, await app.updates.takeUnsigned(dto, originOf(connection))),
      UpdateDeviceSigned: async ({ connection, rawArgs }, update) =>
        proved(connection, await app.updates.takeSigned(update, rawUpdate(rawArgs[0]), originOf(connection))),
      SendTerminalOutputToViewer: async ({ connection }, viewerConnectionId, output) => {
        if (app.terminals.isOpen(viewerConnectionId, deviceOf(connection)!)) {
          // The agent waits for this before it sends more: a slow viewer slows the terminal, not the server.
          await app.hubs.viewer.send(viewerConnectionId).ReceiveTerminalOutput(output)
        }
      },
    },
    {
      check: checkAccess(app),
      isStrict,
      async onDisconnected(connection) {
        const deviceId = deviceOf(connection)
        const device = deviceId === undefined ? undefined : await app.fleet.disconnect(deviceId, connection.id)
        if (device) {
          app.heartbeats.push(device)
        }
      },
    },
  )
