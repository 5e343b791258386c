import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { InputBudget } from '../../server/engines/flow/input-budget.ts'
import { clientFrame } from '../support/client-frames.ts'
import { connectViewer } from '../support/hub-client.ts'
import { recordingAgent } from '../support/recording-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { within } from '../support/until.ts'
import { createWire, settle } from '../support/wire.ts'

const server = serverForFile()
const owner = ownerForFile(server)
const text = 1
const end = '\x1e'
const handshake = `{"protocol":"json","version":1}${end}`

/** Connects a viewer that reads nothing after the handshake, and returns its calls. */
async function deafViewer(): Promise<(target: string, argument: object) => void> {
  const { host, hostname, port } = new URL(owner.url)
  const socket: Socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  const lines = {
    ...owner.headers,
    Host: host,
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
  }
  const heads = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET /hubs/viewer HTTP/1.1\r\n${heads.join('')}\r\n`)
  const send = (message: string) => socket.write(clientFrame({ opcode: text, payload: Buffer.from(message) }))
  await once(socket, 'readable')
  socket.read()
  send(handshake)
  await once(socket, 'readable')
  return (target, argument) =>
    send(JSON.stringify({ type: 1, invocationId: randomUUID(), target, arguments: [argument] }) + end)
}

test('a viewer that does not read its terminals does not hold up the other calls of the device', async () => {
  const device = await recordingAgent(owner)
  const call = await deafViewer()
  const terminalIds = [randomUUID(), randomUUID(), randomUUID()]
  for (const terminalId of terminalIds) {
    call('CreateTerminalSession2', { deviceId: device.id, terminalId })
  }
  const opened = () => device.told.filter(([method]) => method === 'CreateTerminalSession')
  await expect.poll(() => opened().length).toBe(terminalIds.length)
  const viewerId = opened()[0]![2] as string
  const timestamp = new Date().toISOString()
  const output = 'x'.repeat(900_000)
  for (const terminalId of terminalIds) {
    // Agents send the next output after the answer to the last one: the system's buffers hold some of them.
    void (async () => {
      for (let count = 0; count < 12; count++) {
        await device.SendTerminalOutputToViewer(viewerId, { terminalId, output, outputKind: 0, timestamp })
      }
    })().catch(() => {})
  }
  const other = await connectViewer(owner)
  for (let count = 0; count < 3; count++) {
    const answer = await within(4_000, other.GetActiveDesktopSessions2({ deviceId: device.id }))
    expect(answer.isSuccess).toBe(true)
  }
})

test('a client that does not read is disconnected when 8 MiB of pushes wait for it', async () => {
  const wire = createWire()
  const [deaf, slow] = [await wire.connect(), await wire.connect()]
  deaf.transport.isStuck = slow.transport.isStuck = true
  const push = ({ id }: { id: string }) => void wire.engine.clients.client(id).send('Heard', ['x'.repeat(1024 * 1024)])
  for (let count = 0; count < 9; count++) {
    push(deaf)
  }
  for (let count = 0; count < 7; count++) {
    push(slow)
  }
  await settle()
  expect([deaf.connection.isEnded, deaf.transport.ending, slow.connection.isEnded]).toEqual([true, 'destroyed', false])
})

test('unread pushes of one user on many connections have a budget, and do not cost others theirs', async () => {
  const wire = createWire({ options: { unsent: new InputBudget({ all: 10_000_000, share: 3_000_000 }) } })
  const [other, ...hostile] = [
    await wire.connect({ userId: 'other' }),
    ...(await Promise.all(Array.from({ length: 5 }, () => wire.connect({ userId: 'hostile' })))),
  ]
  for (const { id, transport } of [other, ...hostile]) {
    transport.isStuck = true
    void wire.engine.clients.client(id).send('Heard', ['x'.repeat(1_000_000)])
  }
  await settle()
  expect(hostile.map(({ connection }) => connection.isEnded)).toEqual([true, true, true, false, false])
  expect(other.connection.isEnded).toBe(false)
})

test('unfinished messages of one user on many connections have a budget, and do not cost others theirs', async () => {
  const wire = createWire({ options: { unfinished: new InputBudget({ all: 200_000, share: 60_000 }) } })
  const unfinished = `{"type":1,"target":"${'x'.repeat(20_000)}`
  const [other, ...hostile] = [
    await wire.connect({ userId: 'other' }),
    ...(await Promise.all(Array.from({ length: 5 }, () => wire.connect({ userId: 'hostile' })))),
  ]
  for (const client of [other, ...hostile]) {
    client.send(unfinished)
  }
  await settle()
  expect(hostile.map(({ connection }) => connection.isEnded)).toEqual([true, true, true, false, false])
  // A finished message gives its bytes back.
  const remaining = [other, ...hostile.slice(-2)]
  for (let count = 0; count < 3; count++) {
    for (const client of remaining) {
      client.send(`","arguments":[]}${end}${unfinished}`)
    }
  }
  await settle()
  expect(remaining.map(({ connection }) => connection.isEnded)).toEqual([false, false, false])
})

test('a device that proves many connections gets no more memory for its unfinished messages', async () => {
  const { agent } = await recordingAgent(owner)
  const open = new Set<WebSocket>()
  for (let count = 0; count < 14; count++) {
    const socket = new WebSocket(`${owner.url.replace('http', 'ws')}/hubs/agent`)
    socket.on('error', () => {})
    onTestFinished(() => socket.terminate())
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    await once(socket, 'open')
    socket.send(handshake)
    await once(socket, 'message')
    const update = {
      type: 1,
      invocationId: '1',
      target: 'UpdateDeviceSigned',
      arguments: [agent.signed(agent.report())],
    }
    socket.send(JSON.stringify(update) + end)
    await once(socket, 'message')
    socket.send(`{"type":1,"target":"${'x'.repeat(1_000_000)}`)
  }
  await expect.poll(() => open.size, { timeout: 10_000 }).toBe(8)
})
