import { memberOf } from '../../shared/contract/lenient.ts'
import { failure, success } from '../../shared/dtos/hub-result.ts'
import { agentHub } from '../../shared/hubs/agent-hub.ts'
import type { App } from '../context.ts'
import { forbidden } from '../errors.ts'
import type { RawSignedUpdate } from '../services/agents/update-signatures.ts'
import type { UpdateOrigin } from '../services/agents/updates.ts'
import type { StreamKind } from '../services/remote/stream-bridge.ts'
import type { HubConnection } from '../signalr/hub.ts'
import { bindHub, type CheckAccess, type HubContext } from './bind.ts'

/** The device that a connection has claimed with a valid update; whether it speaks for it is checked at each call. */
const deviceOf = (connection: HubConnection) => connection.state as string | undefined

const originOf = (connection: HubConnection): UpdateOrigin => ({
  connectionId: connection.id,
  remoteAddress: connection.caller.remoteAddress,
  signal: connection.signal,
  claim(deviceId) {
    connection.state ??= deviceId
    return connection.state === deviceId
  },
})

/** Checked by the schema before; only the members' own spelling and order are unknown. */
const rawUpdate = (arg: unknown): RawSignedUpdate => ({
  dto: memberOf(arg as object, 'dto') as Record<string, unknown>,
  timestamp: String(memberOf(arg as object, 'timestamp')),
  signature: String(memberOf(arg as object, 'signature')),
  publicKey: (memberOf(arg as object, 'publicKey') as string | null | undefined) ?? null,
})

const checkAccess =
  (app: App): CheckAccess =>
  ({ connection }, { access }) => {
    const deviceId = deviceOf(connection)
    const isCurrent = deviceId !== undefined && app.fleet.get(deviceId)?.connectionId === connection.id
    if (access !== 'anonymous' && !(access === 'agent' && isCurrent)) {
      throw forbidden()
    }
  }

export function createAgentHub(app: App, isStrict: boolean) {
  /** A stream for a request: what nobody waits for is dropped. */
  const deliver = async (
    { connection, upload: items }: HubContext & { upload: AsyncIterable<unknown> },
    kind: StreamKind,
    id: string,
    note?: unknown,
  ) =>
    (await app.streams.deliver({ id, kind, connectionId: connection.id }, { items, note }))
      ? success
      : failure('Nobody takes this stream.')

  return bindHub(
    agentHub,
    {
      UpdateDevice: ({ connection }, dto) => app.updates.takeUnsigned(dto, originOf(connection)),
      UpdateDeviceSigned: ({ connection, rawArgs }, update) =>
        app.updates.takeSigned(update, rawUpdate(rawArgs[0]), originOf(connection)),
      SendTerminalOutputToViewer: async ({ connection }, viewerConnectionId, output) => {
        if (app.terminals.isOpen(viewerConnectionId, deviceOf(connection)!)) {
          // The agent waits for this before it sends more: a slow viewer slows the terminal, not the server.
          await app.hubs.viewer.send(viewerConnectionId).ReceiveTerminalOutput(output)
        }
      },
      SendDesktopPreviewStream: async (call, id) => void (await deliver(call, 'preview', id)),
      SendDirectoryContentsStream: async (call, id, exists) => void (await deliver(call, 'directory', id, exists)),
      SendFileContentStream: (call, id) => deliver(call, 'file', id),
      SendSubdirectoriesStream: async (call, id) => void (await deliver(call, 'subdirectories', id)),
      GetFileStreamFromViewer: ({ connection }, { streamId }) => app.streams.fetch(streamId, connection.id),
    },
    {
      check: checkAccess(app),
      isStrict,
      async onDisconnected(connection) {
        const deviceId = deviceOf(connection)
        const disconnected = deviceId === undefined ? undefined : app.fleet.disconnect(deviceId, connection.id)
        app.streams.drop(connection.id)
        const device = await disconnected
        if (device) {
          app.heartbeats.push(device)
        }
      },
    },
  )
}
