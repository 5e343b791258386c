import { closeSync } from 'node:fs'
import { deferred } from '../../../../../shared/deferred.ts'
import { reasonOf, UserError } from '../../../../base/errors.ts'
import { compositorEnded } from '../end-reasons.ts'
import { wlCallback, wlDisplay, wlRegistry, type Interface } from './protocol.ts'
import { DescriptorSocket } from './socket.ts'
import { decode, encode, headerBytes, type AnyArgument, type Arguments } from './wire.ts'

/** Handlers of an object's events; events without a handler are ignored. */
export type Handlers<I extends Interface> = {
  [E in keyof I['events'] & string]?: (...values: Arguments<I['events'][E]>) => void
}

type AnyHandler = (...values: AnyArgument[]) => void

const displayId = 1
/** Ids from here on are given by the compositor. */
const firstServerId = 0xff_00_00_00
const openTimeoutMs = 10_000
/** Limit for received descriptors that no event has named yet. */
const maxDescriptors = 64

export class WaylandObject<I extends Interface> {
  readonly id: number
  readonly #connection: Connection
  readonly #requests: readonly [string, string][]

  constructor(connection: Connection, { requests }: I, id: number) {
    this.#connection = connection
    this.id = id
    this.#requests = Object.entries(requests)
  }

  request<R extends keyof I['requests'] & string>(name: R, ...values: Arguments<I['requests'][R]>): void {
    const opcode = this.#requests.findIndex(([request]) => request === name)
    this.#connection.send(this.id, opcode, this.#requests[opcode]?.[1] ?? '', values as readonly AnyArgument[])
  }
}

interface Receiver {
  events: readonly [name: string, letters: string][]
  handlers: Readonly<Record<string, AnyHandler | undefined>>
}

/** Global object that the compositor offers. */
export interface Global {
  number: number
  interfaceName: string
  version: number
}

export class Connection {
  /** Called once with the reason when the compositor has closed the connection. */
  onEnd: (reason: string) => void = () => undefined
  readonly globals = new Map<number, Global>()
  onGlobal: (global: Global) => void = () => undefined
  onGlobalRemoved: (number: number) => void = () => undefined
  readonly #socket: DescriptorSocket
  readonly #receivers = new Map<number, Receiver>()
  readonly #freeIds: number[] = []
  readonly #descriptors: number[] = []
  readonly #waiting = new Set<(error: UserError) => void>()
  readonly #registry: WaylandObject<typeof wlRegistry>
  readonly #display: WaylandObject<typeof wlDisplay>
  #nextId = displayId
  #unread = Buffer.alloc(0)
  #gone: UserError | undefined

  private constructor(socket: DescriptorSocket) {
    this.#socket = socket
    socket.onData = (bytes, descriptors) => this.#receive(bytes, descriptors)
    socket.onEnd = () => this.#end(compositorEnded)
    this.#display = this.create(wlDisplay, {
      error: (id, code, text) => this.#end(`The Wayland compositor refused a request: ${text} (${id}, ${code}).`),
      delete_id: (id) => {
        this.#receivers.delete(id)
        this.#freeIds.push(id)
      },
    })
    this.#registry = this.create(wlRegistry, {
      global: (number, interfaceName, version) => {
        const global = { number, interfaceName, version }
        this.globals.set(number, global)
        this.onGlobal(global)
      },
      global_remove: (number) => {
        this.globals.delete(number)
        this.onGlobalRemoved(number)
      },
    })
    this.#display.request('get_registry', this.#registry.id)
  }

  static async open(path: string): Promise<Connection> {
    const connection = new Connection(await DescriptorSocket.connect(path))
    try {
      await connection.roundtrip()
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  get isOpen(): boolean {
    return this.#gone === undefined
  }

  /** Creates a client's object. The next request has to name its id: compositors take new ids in order only. */
  create<I extends Interface>(definition: I, handlers: Handlers<I> = {}): WaylandObject<I> {
    return this.adopt(definition, this.#freeIds.pop() ?? this.#nextId++, handlers)
  }

  /** Returns the object for an id that the compositor has given. */
  adopt<I extends Interface>(definition: I, id: number, handlers: Handlers<I> = {}): WaylandObject<I> {
    this.#receivers.set(id, {
      events: Object.entries(definition.events),
      handlers: handlers as Receiver['handlers'],
    })
    return new WaylandObject(this, definition, id)
  }

  /** Ignores further events. The compositor confirms the end of a client's object before the id is used again. */
  forget({ id }: { id: number }): void {
    const receiver = this.#receivers.get(id)
    if (id >= firstServerId) {
      this.#receivers.delete(id)
    } else if (receiver) {
      this.#receivers.set(id, { ...receiver, handlers: {} })
    }
  }

  offers({ name }: Interface): boolean {
    return [...this.globals.values()].some(({ interfaceName }) => interfaceName === name)
  }

  /** Binds the global of this interface, by number where there are several. Throws a UserError if it is missing. */
  bind<I extends Interface>(definition: I, handlers: Handlers<I> = {}, number?: number): WaylandObject<I> {
    const global = [...this.globals.values()].find(
      (candidate) =>
        candidate.interfaceName === definition.name && (number === undefined || candidate.number === number),
    )
    if (!global) {
      throw new UserError(`This Wayland desktop does not offer ${definition.name}.`)
    }
    const object = this.create(definition, handlers)
    const version = Math.min(global.version, definition.version)
    this.#registry.request('bind', global.number, definition.name, version, object.id)
    return object
  }

  /** Resolves when the compositor has handled all requests so far. */
  roundtrip(): Promise<void> {
    return this.wait((resolve) => {
      const callback = this.create(wlCallback, { done: () => resolve() })
      this.#display.request('sync', callback.id)
    })
  }

  /** Waits for an event; rejects when the connection ends or after ten seconds. */
  wait<T>(start: (resolve: (value: T) => void, reject: (error: Error) => void) => void): Promise<T> {
    const { promise, resolve, reject } = deferred<T>()
    if (this.#gone) {
      reject(this.#gone)
      return promise
    }
    const timer = setTimeout(
      () => reject(new UserError('The Wayland compositor does not answer.')),
      openTimeoutMs,
    ).unref()
    this.#waiting.add(reject)
    start(resolve, reject)
    return promise.finally(() => {
      clearTimeout(timer)
      this.#waiting.delete(reject)
    })
  }

  pipe(): [number, number] {
    return this.#socket.pipe()
  }

  send(objectId: number, opcode: number, letters: string, values: readonly AnyArgument[]): void {
    const descriptor = values[letters.indexOf('h')]
    this.#socket.send(
      encode(objectId, opcode, letters, values),
      typeof descriptor === 'number' ? descriptor : undefined,
    )
  }

  close(): void {
    this.onEnd = () => undefined
    this.#end('This desktop is closed.')
  }

  #receive(bytes: Buffer, descriptors: readonly number[]) {
    this.#descriptors.push(...descriptors)
    if (this.#descriptors.length > maxDescriptors) {
      this.#end('The Wayland compositor sent file descriptors without a message.')
      return
    }
    let rest = Buffer.concat([this.#unread, bytes])
    while (this.isOpen && rest.length >= headerBytes) {
      const size = rest.readUInt16LE(6)
      if (size < headerBytes) {
        this.#end('The Wayland compositor sent a message that cannot be read.')
        return
      }
      if (rest.length < size) {
        break
      }
      try {
        this.#dispatch(rest.readUInt32LE(0), rest.readUInt16LE(4), rest.subarray(headerBytes, size))
      } catch (error) {
        this.#end(`An event of the Wayland compositor could not be handled: ${reasonOf(error)}.`)
        return
      }
      rest = rest.subarray(size)
    }
    this.#unread = rest
  }

  #dispatch(id: number, opcode: number, body: Buffer) {
    const receiver = this.#receivers.get(id)
    const [name, letters] = receiver?.events[opcode] ?? []
    if (!receiver || name === undefined || letters === undefined) {
      return
    }
    const values = decode(body, letters, () => this.#descriptors.shift() ?? -1)
    const handler = receiver.handlers[name]
    const descriptor = values[letters.indexOf('h')]
    if (handler) {
      handler(...values)
    } else if (typeof descriptor === 'number' && descriptor >= 0) {
      closeSync(descriptor)
    }
  }

  #end(reason: string) {
    if (this.#gone) {
      return
    }
    this.#gone = new UserError(reason)
    this.#socket.close()
    this.#descriptors.splice(0).forEach((descriptor) => closeSync(descriptor))
    for (const reject of this.#waiting) {
      reject(this.#gone)
    }
    this.onEnd(reason)
  }
}
