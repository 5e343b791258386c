/**
 * Floods a server from anonymous peers until this process ends: `node tools/simulate/hostile.ts URL MB_PER_SECOND
 * [KINDS]`, where KINDS are names of `floods`, separated by commas; all by default. Runs in a separate process, so that
 * it does not disturb measurements.
 */

import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const [address = '', rate = '50', kinds] = process.argv.slice(2)
const { host, hostname, port } = new URL(address)

const tickMs = 20
/** Delay before a closed socket is reopened. */
const retryMs = 1_000
const megabyte = 1024 * 1024
const messageSockets = 60
const halfMessages = 600
const halfBodies = 300
const requestSockets = 30
/** Chains of connections that are opened one after the other. */
const connectSockets = 30

const upgrade = `GET /hubs/agent HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`
const body = `POST /api/agent/devices HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${2 * megabyte}\r\n\r\n`

/** Builds a WebSocket message, masked with zeros. */
function frame(payload: string): Buffer {
  const head = Buffer.alloc(14)
  head.set([0x81, 0x80 | 127])
  head.writeBigUInt64BE(BigInt(payload.length), 2)
  return Buffer.concat([head, Buffer.from(payload)])
}

const handshake = frame('{"protocol":"json","version":1}\x1e')
const invocation = (argument: string) =>
  `{"type":1,"invocationId":"1","target":"UpdateDevice","arguments":[${argument}]}\x1e`
/** Large for the hub, many for the reader, small for the sockets: each costs the server in another place. */
const messages = [
  frame(invocation(`"${'x'.repeat(60_000)}"`)),
  frame(invocation(`[${'[],'.repeat(9_000)}[]]`)),
  frame('{"type":6}\x1e'.repeat(5_000)),
  Buffer.concat(Array.from({ length: 8_000 }, () => Buffer.from([0x89, 0x80, 0, 0, 0, 0]))),
]

/** Keeps a socket open by reopening it when it ends. */
function keep(begin: (socket: Socket) => void): () => Socket {
  const open = () => {
    const next = connect({ host: hostname, port: Number(port) }, () => begin(next))
    next.on('error', () => {}).resume()
    next.once('close', () => setTimeout(() => (socket = open()), retryMs))
    return next
  }
  let socket = open()
  return () => socket
}

/** Opens a WebSocket. Bytes sent before the response would be rejected. */
function openHub(socket: Socket, first: Buffer) {
  socket.write(upgrade)
  socket.once('data', () => void socket.write(first))
}

const halfMessage = Buffer.concat([handshake, frame(`{"${'x'.repeat(megabyte)}`)])
const halfBody = Buffer.from(`${body}{"${'x'.repeat(2 * megabyte - 100)}`)
/** Complete requests, sent as fast as the server reads. */
const pipelined = `GET /alive HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(5_000)
const tinyChunks = `${body.replace(/Content-Length: .*/, 'Transfer-Encoding: chunked')}${'1\r\n \r\n'.repeat(10_000)}0\r\n\r\n`
const pour = (socket: Socket, bytes: string): void => void socket.write(bytes, (error) => error ?? pour(socket, bytes))

const keepMany = (count: number, begin: (socket: Socket) => void) => Array.from({ length: count }, () => keep(begin))

/** Sends whole messages at the given rate. */
async function sendMessages() {
  const hubs = keepMany(messageSockets, (socket) => openHub(socket, handshake))
  for (let turn = 0; ; turn++) {
    for (let bytes = 0, tries = 0; bytes < (Number(rate) * megabyte * tickMs) / 1000 && tries < hubs.length; tries++) {
      const socket = hubs[(turn + tries) % hubs.length]!()
      const message = messages[(turn + tries) % messages.length]!
      if (socket.writableLength < megabyte) {
        socket.write(message)
        bytes += message.length
      }
    }
    await sleep(tickMs)
  }
}

/** Opens connections one after the other, and resets each as soon as the server has accepted it. */
function connectAgain(): void {
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.resetAndDestroy())
  socket.on('error', () => {}).once('close', connectAgain)
}

const floods: Record<string, () => unknown> = {
  requests: () => keepMany(requestSockets, (socket) => pour(socket, pipelined)),
  chunks: () => keepMany(requestSockets, (socket) => pour(socket, tinyChunks)),
  halfMessages: () => keepMany(halfMessages, (socket) => openHub(socket, halfMessage)),
  halfBodies: () => keepMany(halfBodies, (socket) => void socket.write(halfBody)),
  messages: sendMessages,
  connects: () => Array.from({ length: connectSockets }, connectAgain),
}
for (const kind of kinds?.split(',') ?? Object.keys(floods)) {
  void floods[kind]!()
}
