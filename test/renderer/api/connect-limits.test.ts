import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Socket } from 'node:net'
import { HttpTransportType, HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import { expect, onTestFinished, test } from 'vitest'
import { connectLimits } from '../../../renderer/api/connect-limits.ts'

const negotiation = JSON.stringify({
  negotiateVersion: 1,
  connectionId: 'one',
  connectionToken: 'two',
  availableTransports: [{ transport: 'WebSockets', transferFormats: ['Text'] }],
})

/** Connection to a server that negotiates as given and never answers a WebSocket handshake. */
async function connectionTo(
  limits: ReturnType<typeof connectLimits>,
  negotiate: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const sockets: Socket[] = []
  const server = createServer(negotiate).on('upgrade', (_, socket: Socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    sockets.forEach((socket) => socket.destroy())
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const connection = new HubConnectionBuilder()
    .withUrl(`http://127.0.0.1:${port}/hub`, { ...limits, transport: HttpTransportType.WebSockets })
    .configureLogging(LogLevel.None)
    .build()
  return { connection, sockets }
}

test('an attempt ends when the network swallows the negotiation', async () => {
  const { connection } = await connectionTo(connectLimits(200), () => {})
  await expect(connection.start()).rejects.toThrow('negotiation')
  expect(connection.state).toBe('Disconnected')
})

test('an attempt ends when the network swallows the websocket, and the next one may begin', async () => {
  // The negotiation is answered within its own limit, however busy the machine is.
  const limits = { ...connectLimits(60_000), WebSocket: connectLimits(200).WebSocket }
  const { connection, sockets } = await connectionTo(limits, (_, response) => void response.end(negotiation))
  await expect(connection.start()).rejects.toThrow('WebSockets failed')
  await expect(connection.start()).rejects.toThrow('WebSockets failed')
  expect(sockets).toHaveLength(2)
})
