import { createPublicKey, randomUUID, verify, type KeyObject } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import sqlite3 from 'sqlite3'
import { WebSocketServer, type WebSocket } from 'ws'
import { makeAuthority, makeLeaf } from '../../server/tls/certificates.ts'
import { newKey } from '../../server/tls/keys.ts'
import { encodeSignedDeviceUpdate } from '../../shared/dtos/device-signature.ts'

/** Minimal servers in their own process, as the baseline of each benchmark. */
const separator = '\x1e'
const kind = process.argv[2]
const isSecure = kind === 'tls-hub'

/** Node's own TLS server, with a certificate like the product's. */
async function secureServer() {
  const [authorityKey, key] = await Promise.all([newKey(), newKey()])
  const leaf = await makeLeaf(await makeAuthority(authorityKey, Date.now()), key, ['127.0.0.1'], Date.now())
  return createSecureServer({ cert: leaf.toString(), key: key.export({ type: 'pkcs8', format: 'pem' }) })
}

const server = isSecure ? await secureServer() : createServer()

if (kind === 'http') {
  const body = Buffer.alloc(Number(process.argv[3]), 0x20)
  server.on('request', (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
}

// Writes one row with one flush per request.
if (kind === 'write') {
  const database = new sqlite3.Database(join(process.argv[3] ?? '', 'bare.db'))
  database.serialize()
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS rows (id, text)')
  const insert = database.prepare('INSERT INTO rows VALUES (?, ?)')
  server.on('request', (_request, response) => {
    insert.run([randomUUID(), 'text'], () => response.writeHead(201, { 'content-length': 2 }).end('{}'))
  })
}

// Sends a file on GET, and writes posted bytes to another.
if (kind === 'files') {
  const [, , , source = '', target = ''] = process.argv
  server.on('request', (incoming, response) => {
    if (incoming.method === 'POST') {
      void pipeline(incoming, createWriteStream(target)).then(() => response.end())
    } else {
      void pipeline(createReadStream(source), response)
    }
  })
}

if (kind === 'echo') {
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(data)))
}

// Joins the two sockets of an address, and forwards their messages.
if (kind === 'relay') {
  const sockets = new WebSocketServer({ server, perMessageDeflate: false, maxPayload: 0 })
  const waiting = new Map<string, WebSocket>()
  const pass = (from: WebSocket, to: WebSocket) => {
    from.on('message', (data: Buffer) => {
      to.send(data, { binary: true }, () => from.isPaused && from.resume())
      if (to.bufferedAmount > 1_000_000) {
        from.pause()
      }
    })
    from.on('close', () => to.close())
  }
  sockets.on('connection', (socket, { url = '' }) => {
    const id = new URL(url, 'http://localhost').searchParams.get('sessionId') ?? ''
    const partner = waiting.get(id)
    if (partner) {
      waiting.delete(id)
      pass(socket, partner)
      pass(partner, socket)
    } else {
      waiting.set(id, socket)
    }
  })
}

interface SignedUpdate {
  dto: object
  timestamp: string
  signature: string
  publicKey: string
}

// Hub that verifies signatures and answers, without state, storage or notifications.
if (kind === 'hub' || isSecure) {
  const header = Buffer.from('302a300506032b6570032100', 'hex')
  const importKey = (text: string) =>
    createPublicKey({ key: Buffer.concat([header, Buffer.from(text, 'base64')]), format: 'der', type: 'spki' })
  const keys = new Map<string, KeyObject>()
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  sockets.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      for (const record of data.toString().split(separator)) {
        if (record.startsWith('{"protocol"')) {
          socket.send(`{}${separator}`)
        } else if (record.startsWith('{"type":1')) {
          const message = JSON.parse(record) as { invocationId: string; arguments: [SignedUpdate] }
          const { dto, timestamp, signature, publicKey } = message.arguments[0]
          const key = keys.get(publicKey) ?? importKey(publicKey)
          keys.set(publicKey, key)
          const payload = encodeSignedDeviceUpdate(dto, timestamp, publicKey)
          const isSuccess = verify(null, payload, key, Buffer.from(signature, 'base64'))
          socket.send(
            JSON.stringify({ type: 3, invocationId: message.invocationId, result: { isSuccess, value: dto } }) +
              separator,
          )
        }
      }
    })
  })
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(
    `Listening on http${isSecure ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}\n`,
  )
})
process.on('SIGTERM', () => process.exit(0))
