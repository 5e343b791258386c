import { UserError } from '../../../base/errors.ts'
import { gio, valueOf, type Gio, type Out, type Pointer, type Value } from './gio.ts'

const authenticationClient = 1
const messageBusConnection = 8
const callMs = 10_000
/** Interval for dispatching signals: GLib's main loop does not run in this process. */
const dispatchEveryMs = 10

/** Object on the bus, and the interface of its methods and signals. */
export interface BusObject {
  name: string
  path: string
  interface: string
}

/** Arguments of a method: their types, and their values as GVariant text. */
export interface Arguments {
  types: string
  text: string
}

export interface Reply {
  values: readonly Value[]
  /** Passed file descriptors, owned by the caller. */
  descriptors: readonly number[]
}

/** Text of a string for GVariant, whose escapes are those of JSON. */
export const quoted = (text: string): string => JSON.stringify(text.replaceAll('\0', ''))

/** Doubles need a point in GVariant text. */
export const double = (value: number): string => value.toFixed(3)

const none: Arguments = { types: '()', text: '()' }

const daemon = { name: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' }

/** Connection to the session bus of this process's user. */
export class Bus {
  /** Called once when the bus has closed the connection. */
  onEnd: () => void = () => undefined
  readonly #api: Gio
  readonly #connection: Pointer
  readonly #dispatching: NodeJS.Timeout
  readonly #callbacks: (() => void)[] = []
  /** Calls in progress, on threads that use the connection. */
  readonly #calling = new Set<Promise<unknown>>()
  #isClosed = false
  readonly uniqueName: string

  private constructor(api: Gio, connection: Pointer) {
    this.#api = api
    this.#connection = connection
    this.uniqueName = api.uniqueName(connection)
    this.#dispatching = setInterval(() => this.#dispatch(), dispatchEveryMs)
  }

  /** Rejects with a UserError. */
  static async open(address: string): Promise<Bus> {
    const api = await gio()
    const error: Out<Pointer> = [null]
    const connection = await asynchronously<Pointer>(
      api.connect,
      address,
      authenticationClient | messageBusConnection,
      null,
      null,
      error,
    )
    if (!connection) {
      throw new UserError(`The session bus of this desktop does not answer: ${api.takeMessage(error[0])}`)
    }
    return new Bus(api, connection)
  }

  /** Calls a method. Rejects with an Error that has the message of the called program. */
  async call(object: BusObject, method: string, given: Arguments = none): Promise<Reply> {
    if (this.#isClosed) {
      throw new Error('The connection to the session bus is closed.')
    }
    const calling = this.#call(object, method, given)
    this.#calling.add(calling)
    try {
      return await calling
    } finally {
      this.#calling.delete(calling)
    }
  }

  async #call(object: BusObject, method: string, { types, text }: Arguments): Promise<Reply> {
    const api = this.#api
    const parameters = this.#variant(types, text)
    const [error, list]: [Out<Pointer>, Out<Pointer>] = [[null], [null]]
    try {
      const given = this.#argumentsOf(object, method, parameters)
      const reply = await asynchronously<Pointer>(api.call, ...given, null, list, null, error)
      if (!reply) {
        throw new Error(api.takeMessage(error[0]))
      }
      const values = valueOf(api, reply) as readonly Value[]
      api.unref(reply)
      return { values, descriptors: this.#takeDescriptors(list[0], values) }
    } finally {
      api.unref(parameters)
    }
  }

  /** Sends a call without waiting for its reply. Calls are delivered in order. */
  send(object: BusObject, method: string, { types, text }: Arguments = none): void {
    if (!this.#isClosed) {
      const parameters = this.#variant(types, text)
      this.#api.send(...this.#argumentsOf(object, method, parameters), null, null, null)
      this.#api.unref(parameters)
    }
  }

  /** Listens to a signal until the returned function is called. */
  listen(object: BusObject, signal: string, listener: (values: readonly Value[]) => void): () => void {
    if (this.#isClosed) {
      return () => {}
    }
    const api = this.#api
    const callback = api.callback((_connection, _sender, _path, _interface, _signal, parameters) => {
      const values = valueOf(api, parameters) as readonly Value[]
      // Deferred: code of this program must not run within a call of the library.
      setImmediate(() => listener(values))
    })
    const id = api.subscribe(
      this.#connection,
      object.name,
      object.interface,
      signal,
      object.path,
      null,
      0,
      callback,
      null,
      null,
    ) as number
    let isListening = true
    const stop = () => {
      if (isListening) {
        isListening = false
        api.unsubscribe(this.#connection, id)
        api.forget(callback)
      }
    }
    this.#callbacks.push(stop)
    return stop
  }

  /** Resolves with the next signal of this name. */
  next(object: BusObject, signal: string): Promise<readonly Value[]> {
    return new Promise((resolve) => {
      const stop = this.listen(object, signal, (values) => {
        stop()
        resolve(values)
      })
    })
  }

  async hasName(name: string): Promise<boolean> {
    const { values } = await this.call(daemon, 'NameHasOwner', { types: '(s)', text: `(${quoted(name)},)` })
    return values[0] === true
  }

  /** Calls `listener` when the program with this name has ended. */
  whenGone(name: string, listener: () => void): () => void {
    return this.listen(daemon, 'NameOwnerChanged', ([changed, , owner]) => {
      if (changed === name && owner === '') {
        listener()
      }
    })
  }

  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true
      clearInterval(this.#dispatching)
      this.#callbacks.forEach((stop) => stop())
      const closing = asynchronously(this.#api.close, this.#connection, null, null)
      // Closing ends the calls in progress.
      void Promise.allSettled([closing, ...this.#calling]).then(() => this.#api.unrefObject(this.#connection))
    }
  }

  #dispatch() {
    while (this.#api.iterate(null, 0) !== 0) {
      // Each iteration dispatches one group of events.
    }
    if (!this.#isClosed && this.#api.isClosed(this.#connection) !== 0) {
      this.close()
      this.onEnd()
    }
  }

  /** First arguments of a call in the library, up to its time limit. */
  #argumentsOf({ name, path, interface: of }: BusObject, method: string, parameters: Pointer) {
    return [this.#connection, name, path, of, method, parameters, null, 0, callMs]
  }

  #variant(types: string, text: string): Pointer {
    const error: Out<Pointer> = [null]
    const variant = this.#api.parse(types, text, null, null, error)
    if (!variant) {
      throw new Error(this.#api.takeMessage(error[0]))
    }
    return variant
  }

  #takeDescriptors(list: Pointer, values: readonly Value[]): number[] {
    if (!list) {
      return []
    }
    const descriptors = values
      .filter((value) => typeof value === 'number')
      .map((index) => this.#api.descriptorAt(list, index, [null]))
    this.#api.unrefObject(list)
    return descriptors
  }
}

/** Runs a blocking call of a library on a thread of Node's pool. */
export function asynchronously<T>(call: { async(...args: unknown[]): unknown }, ...args: unknown[]): Promise<T> {
  return new Promise((resolve, reject) => {
    call.async(...args, (error: Error | null, result: T) => (error ? reject(error) : resolve(result)))
  })
}
