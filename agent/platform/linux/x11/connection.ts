import { once } from 'node:events'
import { createConnection } from 'node:net'
import { deferred } from '../../../../shared/deferred.ts'
import { type Client, type Event, type Extensions, type RootScreen, type Server, x11 } from './protocol.ts'
import { UserError } from '../../../base/errors.ts'
import { type Authority, readAuthority } from './xauthority.ts'

export const connectTimeoutMs = 10_000

export interface DisplayAddress {
  /** Display on this machine: `:0` or `:0.0`. */
  display: string
  /** Xauthority file for the display, where the display needs credentials. */
  authorityFile?: string
}

const socketOf = (displayNumber: string) => `/tmp/.X11-unix/X${displayNumber}`

const accepted = 1
const resourceMaskAt = 16
const greetingBytes = 20
/** Limit for bytes before the setup is accepted: real servers send a few kilobytes; a reply can claim 16 GiB. */
const maxOpeningBytes = 4 * 1024 * 1024

/** An empty resource mask in the setup reply would put the package into an endless loop. */
const hasEmptyMask = (answer: Buffer) => answer[0] === accepted && answer.readUInt32LE(resourceMaskAt) === 0

/**
 * Hardens the client before the first byte is read. Any user can listen where a display server would: a malformed reply
 * must close the connection, not crash this program. Returns a function to call once the setup is accepted.
 */
function prepareClient(client: Client, fail: (error: unknown) => void): () => void {
  let openingBytes = 0
  const start = client.startHandshake
  client.startHandshake = () => {
    // The package shares atoms between all connections, but each display server has its own.
    client.atoms = { ...client.atoms }
    const packets = client.pack_stream
    const parse = packets.write
    let greeting: Buffer | null = Buffer.alloc(0)
    packets.write = (bytes) => {
      let received = bytes
      openingBytes += bytes.length
      try {
        if (openingBytes > maxOpeningBytes) {
          throw new RangeError('The setup reply of the display server is too long.')
        }
        if (greeting) {
          received = Buffer.concat([greeting, bytes])
          greeting = received
          if (received[0] === accepted && received.length < greetingBytes) {
            return
          }
          greeting = null
          if (hasEmptyMask(received)) {
            throw new RangeError('The display server has no resource numbers.')
          }
        }
        parse.call(packets, received)
      } catch (error) {
        fail(error)
        client.stream.destroy()
      }
    }
    start.call(client)
  }
  return () => (openingBytes = Number.NEGATIVE_INFINITY)
}

/** Builds a sentence that explains why a display could not be opened. */
function explain(display: string, error: unknown) {
  const { message, code } = error as NodeJS.ErrnoException
  const refusal = /X server connection failed: ([^\0]*)/.exec(message)?.[1]?.trim()
  if (refusal !== undefined) {
    return new UserError(`The display ${display} does not accept us: ${refusal.replace(/\.?$/, '.')}`)
  }
  if (code === 'UV_13' || code === 'EACCES') {
    return new UserError(`The display ${display} does not accept us: its socket is closed to this user.`)
  }
  return new UserError(`Nobody answers on the display ${display}.`)
}

const requestBytes = 4

/** Secrets that displays accepted, by display and file: reading a file takes a process of its own, and 100 ms. */
const knownAuthorities = new Map<string, Authority>()

/** Returns a promise that rejects once the signal aborts. */
const whenAborted = (signal: AbortSignal, reason: () => Error) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(reason()), { once: true })
  })

/**
 * Checks that the display's socket accepts connections before the package connects: without a socket the package falls
 * back to TCP and sends the secret to any listener there; and the package never closes its end of a socket that does
 * not reply.
 */
async function knock(display: string, displayNumber: string, signal: AbortSignal): Promise<void> {
  const socket = createConnection(socketOf(displayNumber))
  try {
    await once(socket, 'connect', { signal })
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw isMissing ? new UserError(`There is no display ${display} on this machine.`) : explain(display, error)
  } finally {
    socket.destroy()
  }
}

/** Connection to an X display of this machine. All pending requests reject when the display ends. */
export class Connection {
  /** Called once when the display server has ended, but not after `close`. */
  onEnd: (reason: string) => void = () => undefined
  readonly display: string
  readonly client: Client
  readonly server: Server
  readonly screen: RootScreen
  readonly root: number
  readonly #listeners = new Set<(event: Event) => void>()
  readonly #waiting = new Set<(error: Error) => void>()
  #gone: UserError | undefined

  private constructor(display: string, client: Client, server: Server) {
    this.display = display
    this.client = client
    this.server = server
    this.screen = server.screen[0] as RootScreen
    this.root = this.screen.root
    client.on('event', (event) => {
      for (const listener of this.#listeners) {
        listener(event)
      }
    })
    client.on('end', () => this.#end())
    client.stream.on('close', () => this.#end())
  }

  /**
   * Connects to a display. Rejects with a UserError: no such display, not accepted, no reply. With a `fileOwner`, the
   * Xauthority file must belong to this user and hold a secret for this display. Rejects at the latest when `deadline`
   * aborts.
   */
  static async open(
    { display, authorityFile }: DisplayAddress,
    fileOwner?: number,
    deadline: AbortSignal = AbortSignal.timeout(connectTimeoutMs),
  ): Promise<Connection> {
    const displayNumber = /^:(\d+)(\.\d+)?$/.exec(display)?.[1]
    if (displayNumber === undefined) {
      throw new UserError(`"${display}" is not a display of this machine; those are called :0, :1 and so on.`)
    }
    await knock(display, displayNumber, deadline)
    const connect = (auth: Authority) => Connection.#connect(display, displayNumber, auth, deadline)
    const place = `${displayNumber} ${authorityFile ?? ''}`
    const known = fileOwner === undefined ? knownAuthorities.get(place) : undefined
    if (known) {
      try {
        return await connect(known)
      } catch {
        // A display that was restarted has another secret.
        knownAuthorities.delete(place)
      }
    }
    const read = readAuthority(displayNumber, authorityFile, fileOwner)
    const auth = await Promise.race([read, whenAborted(deadline, () => explain(display, deadline.reason))])
    if (fileOwner !== undefined && authorityFile !== undefined && auth.data === '') {
      throw new UserError(`The display ${display} does not accept us: its user has no secret for it.`)
    }
    const connection = await connect(auth)
    if (fileOwner === undefined && authorityFile !== undefined) {
      knownAuthorities.set(place, auth)
    }
    return connection
  }

  static async #connect(
    display: string,
    displayNumber: string,
    auth: Authority,
    deadline: AbortSignal,
  ): Promise<Connection> {
    const { promise, resolve, reject } = deferred<Server>()
    // Unbuffered, the setup is three writes; after a rejection of the first write, the error of a later write would
    // replace the reason.
    const options = { display, auth, bufferRequests: true }
    const client = x11.createClient(options, (error, server) => (error ? reject(error) : resolve(server)))
    // Errors of single requests are emitted here as well: an already closed window does not end the connection.
    client.on('error', reject)
    const accept = prepareClient(client, reject)
    const giveUp = () => reject(deadline.reason)
    deadline.addEventListener('abort', giveUp)
    try {
      deadline.throwIfAborted()
      const server = await promise
      accept()
      return new Connection(`:${displayNumber}`, client, server)
    } catch (error) {
      client.stream?.destroy()
      throw explain(display, error)
    } finally {
      deadline.removeEventListener('abort', giveUp)
    }
  }

  get isOpen() {
    return this.#gone === undefined
  }

  /** Adds a listener for selected events. Returns a function that removes the listener. */
  listen(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Sends a request and resolves with the reply. Rejects with the X error or when the display ends. */
  ask<T>(send: (callback: (error: unknown, result: T) => boolean) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#gone) {
        reject(this.#gone)
        return
      }
      this.#waiting.add(reject)
      send((error, result) => {
        this.#waiting.delete(reject)
        if (error) {
          reject(error as Error)
        } else {
          resolve(result)
        }
        return true
      })
    })
  }

  /** Sends a request for which the package has no function; the length of `body` is a multiple of four bytes. */
  post(majorOpcode: number, minorOpcode: number, body: Buffer) {
    const request = Buffer.alloc(requestBytes + body.length)
    request[0] = majorOpcode
    request[1] = minorOpcode
    request.writeUInt16LE(request.length / 4, 2)
    body.copy(request, requestBytes)
    this.client.seq_num++
    this.client.pack_stream.put(request)
    this.client.pack_stream.submit()
  }

  /** Sends a request with a reply: `parse` receives the reply after its first eight bytes, and the second byte. */
  request<T>(majorOpcode: number, minorOpcode: number, body: Buffer, parse: (answer: Buffer, detail: number) => T) {
    return this.ask<T>((callback) => {
      this.client.replies[this.client.seq_num + 1] = [parse, callback]
      this.post(majorOpcode, minorOpcode, body)
    })
  }

  /** Rejects with a UserError if the display server lacks the extension. */
  async extension<Name extends keyof Extensions>(name: Name): Promise<Extensions[Name]> {
    try {
      return await this.ask((callback) => this.client.require(name, callback))
    } catch (error) {
      throw this.#gone ?? new UserError(`The display ${this.display} lacks the extension ${name}.`, { cause: error })
    }
  }

  atom(name: string): Promise<number> {
    return this.ask((callback) => this.client.InternAtom(false, name, callback))
  }

  /** Resolves when the display server has processed all requests sent so far. */
  async flush(): Promise<void> {
    await this.ask((callback) => this.client.GetInputFocus(callback))
  }

  close() {
    if (this.#gone) {
      return
    }
    this.onEnd = () => undefined
    this.client.terminate()
    this.#end()
  }

  #end() {
    if (this.#gone) {
      return
    }
    this.#gone = new UserError(`The display ${this.display} is gone.`)
    this.#listeners.clear()
    for (const reject of this.#waiting) {
      reject(this.#gone)
    }
    this.#waiting.clear()
    this.onEnd(this.#gone.message)
  }
}
