import { UserError, textOf } from '../../../../base/errors.ts'
import { quoted, type Arguments, type Bus, type BusObject, type Reply } from '../bus.ts'
import type { MutterDisplay } from './displays.ts'

export const remoteDesktop = {
  name: 'org.gnome.Mutter.RemoteDesktop',
  path: '/org/gnome/Mutter/RemoteDesktop',
  interface: 'org.gnome.Mutter.RemoteDesktop',
}
const screenCast = {
  name: 'org.gnome.Mutter.ScreenCast',
  path: '/org/gnome/Mutter/ScreenCast',
  interface: 'org.gnome.Mutter.ScreenCast',
}
/** Modes in which Mutter records a monitor: without the pointer, and with the pointer drawn into the frames. */
const cursorModes = [0, 1] as const
const startMs = 10_000

interface Streams {
  path: string
  /** Nodes of PipeWire, by whether the frames include the pointer. */
  hidden: number
  embedded: number
}

/** Session of remote desktop with a stream for each monitor. It ends when the connection to the bus closes. */
export class MutterSession {
  readonly mimeTypes = 'mime-types'
  readonly isOwner = 'session-is-owner'
  readonly #bus: Bus
  readonly #object: BusObject
  readonly #streams: ReadonlyMap<string, Streams>
  /** Resolves when Mutter has ended the session, which it may do from the first call on. */
  readonly closed: Promise<unknown>

  private constructor(bus: Bus, object: BusObject, streams: ReadonlyMap<string, Streams>, closed: Promise<unknown>) {
    this.closed = closed
    this.#bus = bus
    this.#object = object
    this.#streams = streams
  }

  /** Rejects with a UserError. */
  static async open(bus: Bus, displays: readonly MutterDisplay[]): Promise<MutterSession> {
    try {
      return await MutterSession.#open(bus, displays)
    } catch (error) {
      const reason = textOf(error)
      throw new UserError(
        /inhibited/i.test(reason)
          ? 'The screen of this desktop is locked, and GNOME shows its lock screen to no program. The person there can unlock it.'
          : `GNOME does not share this desktop: ${reason}`,
      )
    }
  }

  /** Stops a session that cannot start, so that none is left beside the next one. */
  static async #open(bus: Bus, displays: readonly MutterDisplay[]) {
    const path = pathOf(await bus.call(remoteDesktop, 'CreateSession'))
    const object = { name: remoteDesktop.name, path, interface: `${remoteDesktop.interface}.Session` }
    try {
      return await MutterSession.#start(bus, object, displays)
    } catch (error) {
      bus.send(object, 'Stop')
      throw error
    }
  }

  static async #start(bus: Bus, object: BusObject, displays: readonly MutterDisplay[]) {
    const closed = bus.next(object, 'Closed')
    const id = await bus.call({ ...object, interface: 'org.freedesktop.DBus.Properties' }, 'Get', {
      types: '(ss)',
      text: `(${quoted(object.interface)}, "SessionId")`,
    })
    const options = `({'remote-desktop-session-id': <${quoted(pathOf(id))}>},)`
    const cast = {
      name: screenCast.name,
      path: pathOf(await bus.call(screenCast, 'CreateSession', { types: '(a{sv})', text: options })),
      interface: `${screenCast.interface}.Session`,
    }
    const starting = displays.map(async ({ connector }) => {
      const [hidden, embedded] = await Promise.all(cursorModes.map((mode) => record(bus, cast, connector, mode)))
      return [connector, hidden, embedded] as const
    })
    const recorded = await Promise.all(starting)
    await bus.call(object, 'Start')
    const streams = recorded.map(async ([connector, hidden, embedded]): Promise<[string, Streams]> => [
      connector,
      { path: hidden!.path, hidden: await hidden!.node, embedded: await embedded!.node },
    ])
    const ended = closed.then((): never => {
      throw new Error('It ended the sharing at once.')
    })
    const started = await within(startMs, Promise.race([Promise.all(streams), ended]))
    return new MutterSession(bus, object, new Map(started), closed)
  }

  streamsOf(connector: string): Streams | undefined {
    return this.#streams.get(connector)
  }

  call(method: string, given?: Arguments): Promise<Reply> {
    return this.#bus.call(this.#object, method, given)
  }

  send(method: string, types: string, text: string): void {
    this.#bus.send(this.#object, method, { types, text })
  }

  listen(signal: string, listener: Parameters<Bus['listen']>[2]): () => void {
    return this.#bus.listen(this.#object, signal, listener)
  }

  stop(): void {
    this.#bus.send(this.#object, 'Stop')
  }
}

/** Records a monitor; its node appears when the session starts. */
async function record(bus: Bus, cast: BusObject, connector: string, mode: number) {
  const text = `(${quoted(connector)}, {'cursor-mode': <uint32 ${mode}>})`
  const path = pathOf(await bus.call(cast, 'RecordMonitor', { types: '(sa{sv})', text }))
  const stream = { name: screenCast.name, path, interface: `${screenCast.interface}.Stream` }
  return { path, node: bus.next(stream, 'PipeWireStreamAdded').then(([node]) => Number(node)) }
}

function pathOf({ values: [path] }: Reply): string {
  if (typeof path !== 'string') {
    throw new Error('It answered without a name.')
  }
  return path
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('It offers no pictures. Is PipeWire running?')), limitMs)
  })
  return await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
