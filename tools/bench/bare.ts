/** Minimal servers in their own process, as the baseline of each benchmark: `bare.ts KIND [ARGUMENT...]`. */
import { createPublicKey, randomUUID, verify, type KeyObject } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import sqlite3 from 'sqlite3'
import { WebSocketServer, type WebSocket } from 'ws'
import { encodeSignedDeviceUpdate } from '../../shared/dtos/device-signature.ts'
import { postgresUser } from '../simulate/postgres.ts'

const separator = '\x1e'

interface SignedUpdate {
  dto: object
  timestamp: string
  signature: string
  publicKey: string
}

const socketsOf = (server: Server) => new WebSocketServer({ server, perMessageDeflate: false, maxPayload: 0 })

/** Hub that verifies signatures and answers, without state, storage or notifications. */
function hub(server: Server) {
  const keys = new Map<string, KeyObject>()
  const keyOf = (publicKey: string) => {
    const x = Buffer.from(publicKey, 'base64').toString('base64url')
    const key = keys.get(publicKey) ?? createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    keys.set(publicKey, key)
    return key
  }
  const answerTo = (record: string) => {
    const { invocationId, arguments: args } = JSON.parse(record) as { invocationId: string; arguments: [SignedUpdate] }
    const { dto, timestamp, signature, publicKey } = args[0]
    const payload = encodeSignedDeviceUpdate(dto, timestamp, publicKey)
    const isSuccess = verify(null, payload, keyOf(publicKey), Buffer.from(signature, 'base64'))
    return JSON.stringify({ type: 3, invocationId, result: { isSuccess, value: dto } })
  }
  socketsOf(server).on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      for (const record of data.toString().split(separator)) {
        if (record.startsWith('{"protocol"')) {
          socket.send(`{}${separator}`)
        } else if (record.startsWith('{"type":1')) {
          socket.send(answerTo(record) + separator)
        }
      }
    })
  })
}

type Insert = (values: string[], done: () => void) => void

function inFile(folder: string): Insert {
  const database = new sqlite3.Database(join(folder, 'bare.db'))
  database.serialize()
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS rows (id, text)')
  const insert = database.prepare('INSERT INTO rows VALUES (?, ?)')
  return (values, done) => void insert.run(values, done)
}

async function inPostgres(port: number, database: string): Promise<Insert> {
  const pool = new pg.Pool({ host: '127.0.0.1', port, user: postgresUser, database, max: 1 })
  await pool.query('CREATE TABLE IF NOT EXISTS rows (id text, text text)')
  return (values, done) => pool.query({ name: 'insert', text: 'INSERT INTO rows VALUES ($1, $2)', values }, done)
}

const kinds: Record<string, (server: Server, ...args: string[]) => unknown> = {
  http(server, bytes) {
    const body = Buffer.alloc(Number(bytes), 0x20)
    server.on('request', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      response.end(body)
    })
  },

  /** Writes one row with one flush per request. */
  async write(server, ...place) {
    const [folderOrPort = '', name] = place
    const insert = name === undefined ? inFile(folderOrPort) : await inPostgres(Number(folderOrPort), name)
    server.on('request', (_request, response) => {
      insert([randomUUID(), 'text'], () => response.writeHead(201, { 'content-length': 2 }).end('{}'))
    })
  },

  /** Sends a file on GET, and writes posted bytes to another. */
  files(server, source = '', target = '') {
    server.on('request', (incoming, response) => {
      if (incoming.method === 'POST') {
        void pipeline(incoming, createWriteStream(target)).then(() => response.end())
      } else {
        void pipeline(createReadStream(source), response)
      }
    })
  },

  echo: (server) =>
    socketsOf(server).on('connection', (socket) => socket.on('message', (data: Buffer) => socket.send(data))),

  /** Joins the two sockets of an address, and forwards their messages. */
  relay(server) {
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
    socketsOf(server).on('connection', (socket, { url = '' }) => {
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
  },

  hub,
}

const [, , kind = '', ...args] = process.argv
const server = createServer()
await kinds[kind]!(server, ...args)
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`Listening on http://127.0.0.1:${port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
