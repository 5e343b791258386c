import { randomBytes, timingSafeEqual } from 'node:crypto'
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { system } from '../system.ts'

/*
 * Local channel to a running server, for whoever may read its data folder: a socket in that folder, which only its
 * owner may enter. Windows has named pipes instead, which every user may open: there the secret in the file decides.
 */

/** Longest path of a socket: 108 bytes on Linux and 104 on macOS, with the terminator. */
const longestPath = 103
const longestMessage = 64 * 1024
const timeLimitMs = 10_000
const maxConnections = 8

const fileIn = (directory: string) => join(directory, 'farhand.control')

interface Place {
  address: string
  secret: string
}

const newPipe = () => String.raw`\\.\pipe\farhand-${randomBytes(16).toString('hex')}`

/** Reads one line of JSON; rejects after the time limit, or when the peer sends too much. */
async function readLine(socket: Socket): Promise<unknown> {
  socket.setTimeout(timeLimitMs, () => socket.destroy(new Error('The peer took too long.')))
  let received = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    received += chunk.toString('latin1')
    if (received.includes('\n')) {
      break
    }
    if (received.length > longestMessage) {
      throw new Error('The peer sent too much.')
    }
  }
  return JSON.parse(Buffer.from(received, 'latin1').toString())
}

function isRight(expected: string, request: unknown): request is { secret: string; message: unknown } {
  const secret: unknown = typeof request === 'object' && request !== null && 'secret' in request && request.secret
  const presented = Buffer.from(typeof secret === 'string' ? secret : '')
  const wanted = Buffer.from(expected)
  return presented.length === wanted.length && timingSafeEqual(presented, wanted)
}

interface Channel {
  /** Data folder, which other users may not read. */
  directory: string
  /** Answers a message of somebody who may read the folder; returns what becomes JSON. */
  answer(message: unknown): Promise<unknown>
  /** Told once, when the folder is no place for a socket. */
  warn(problem: string): void
}

/** Opens the channel for the process that holds the data folder; returns a function that closes it. */
export async function openControlChannel({ directory, answer, warn }: Channel): Promise<() => Promise<void>> {
  const socketFile = system.socketIn(directory)
  const place: Place = { address: socketFile ?? newPipe(), secret: randomBytes(32).toString('base64url') }
  if (socketFile !== undefined && Buffer.byteLength(socketFile) > longestPath) {
    warn(`Commands cannot reach this server while it runs: the path of its data folder is too long for a socket.`)
    return async () => {}
  }
  const serve = async (socket: Socket) => {
    socket.on('error', () => {})
    try {
      const request = await readLine(socket)
      // A backup takes as long as the database is large.
      socket.setTimeout(0)
      if (isRight(place.secret, request)) {
        socket.end(JSON.stringify(await answer(request.message)))
      }
    } finally {
      socket.destroySoon()
    }
  }
  const server = createServer((socket) => void serve(socket).catch(() => {}))
  server.maxConnections = maxConnections
  if (socketFile !== undefined) {
    await rm(socketFile, { force: true })
  }
  server.listen(place.address)
  await once(server, 'listening')
  if (socketFile !== undefined) {
    await chmod(socketFile, 0o600)
  }
  await rm(fileIn(directory), { force: true })
  await writeFile(fileIn(directory), JSON.stringify(place), { mode: 0o600 })
  return async () => {
    await rm(fileIn(directory), { force: true })
    server.close()
  }
}

/** Sends a message to the server that runs on a data folder; undefined without a server there. */
export async function callServer(directory: string, message: unknown): Promise<unknown> {
  const file = await readFile(fileIn(directory), 'utf8').catch(() => undefined)
  if (file === undefined) {
    return undefined
  }
  const { address, secret } = JSON.parse(file) as Place
  const socket = connect(address)
  try {
    await once(socket, 'connect')
  } catch {
    // The file of a server that was killed.
    return undefined
  }
  socket.write(`${JSON.stringify({ secret, message })}\n`)
  return JSON.parse(await text(socket))
}
