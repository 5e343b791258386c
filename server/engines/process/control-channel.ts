import { randomBytes, timingSafeEqual } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { StartError } from '../../ground/start-error.ts'
import { system } from '../../ground/system.ts'

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

/** Folder for links, whose own path is short. */
const linksFolder = () => (Buffer.byteLength(tmpdir()) < longestPath / 2 ? tmpdir() : '/tmp')

/**
 * Calls `work` with a path of the socket that the system accepts: for a long one through a link in a private folder, which
 * is removed afterwards. Both ends make links of their own, because a service may have a folder for temporary files of its own.
 */
async function withShortPath<T>(address: string, work: (path: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(address) <= longestPath) {
    return work(address)
  }
  const folder = await mkdtemp(join(linksFolder(), 'farhand-'))
  try {
    const link = join(folder, 'data')
    await symlink(dirname(address), link)
    return await work(join(link, basename(address)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Channel {
  /** Data folder, which other users may not read. */
  directory: string
  /** Answers a message of somebody who may read the folder; returns what becomes JSON. */
  answer(message: unknown): Promise<unknown>
}

/** Opens the channel for the process that holds the data folder; returns a function that closes it. */
export async function openControlChannel({ directory, answer }: Channel): Promise<() => Promise<void>> {
  const socketFile = system.socketIn(directory)
  const place: Place = { address: socketFile ?? newPipe(), secret: randomBytes(32).toString('base64url') }
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
  await withShortPath(place.address, async (path) => {
    server.listen(path)
    await once(server, 'listening')
  })
  if (socketFile !== undefined) {
    await chmod(socketFile, 0o600)
  }
  await rm(fileIn(directory), { force: true })
  await writeFile(fileIn(directory), JSON.stringify(place), { mode: 0o600 })
  return async () => {
    await rm(fileIn(directory), { force: true })
    server.close()
    if (socketFile !== undefined) {
      await rm(socketFile, { force: true })
    }
  }
}

/** Sends a message to the server that runs on a data folder; undefined without a server there. Throws a `StartError` if that server does not answer. */
export async function callServer(directory: string, message: unknown): Promise<unknown> {
  const file = await readFile(fileIn(directory), 'utf8').catch(() => undefined)
  if (file === undefined) {
    return undefined
  }
  const { address, secret } = JSON.parse(file) as Place
  const socket = await withShortPath(address, async (path) => {
    const connecting = connect(path)
    await once(connecting, 'connect')
    return connecting
    // Fails for the file of a server that was killed.
  }).catch(() => undefined)
  if (!socket) {
    return undefined
  }
  socket.write(`${JSON.stringify({ secret, message })}\n`)
  const answer = await text(socket).catch(() => '')
  if (answer === '') {
    throw new StartError(
      `The server of ${directory} closed the connection before it answered: it ended, or its log says why. Run the command again.`,
    )
  }
  return JSON.parse(answer)
}
