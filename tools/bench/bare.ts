/** Minimal servers in their own process, as the baselines of benchmarks: `bare.ts KIND [ARGUMENT...]`. */
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { sqlite3 } from '../../server/engines/database/driver.ts'
import { WebSocketServer, type WebSocket } from 'ws'
import { postgresUser } from '../simulate/postgres.ts'

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
    const sockets = new WebSocketServer({ server, perMessageDeflate: false, maxPayload: 0 })
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
  },
}

const [, , kind = '', ...args] = process.argv
const server = createServer()
await kinds[kind]!(server, ...args)
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`Listening on http://127.0.0.1:${port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
