import { z } from 'zod'
import { UserError } from '../../../../base/errors.ts'
import type { DesktopUse } from '../../../platform.ts'
import type { SelectionCalls } from '../bus-clipboard.ts'
import { quoted, type Arguments, type Bus, type BusObject, type Reply } from '../bus.ts'
import { OrderedEvents } from './ordered-events.ts'
import { clipboard, newToken, remoteDesktop, request, screenCast, versionOf, type Results } from './request.ts'

/** Keyboard and pointer. */
const devices = 3
const monitors = 1
const embeddedPointer = 2
/** Until the person revokes the permission. */
const persistent = 2
/** First version of the interface that restores permissions. */
const restoringVersion = 2
const setupMs = 10_000
/** Time for the answer of the person, as for the question for consent. */
const personMs = 30_000

const pair = z.tuple([z.int(), z.int()])
const properties = z.map(z.unknown(), z.unknown())
const streamsOf = z.array(z.tuple([z.int(), properties])).min(1)

/** Stream of a monitor, in the units of the compositor. */
export interface PortalStream {
  node: number
  x: number
  y: number
  width: number
  height: number
}

/** Opened one at a time: each start replaces the token. */
let opening: Promise<unknown> = Promise.resolve()

/** Session of the desktop portal, in which the person has shared screens, pointer and keyboard. */
export class PortalSession implements SelectionCalls {
  readonly mimeTypes = 'mime_types'
  readonly isOwner = 'session_is_owner'
  readonly streams: readonly PortalStream[]
  readonly hasClipboard: boolean
  readonly #bus: Bus
  readonly #path: string
  readonly #events = new OrderedEvents()

  private constructor(bus: Bus, path: string, results: Results) {
    this.#bus = bus
    this.#path = path
    this.hasClipboard = results.get('clipboard_enabled') === true
    const streams = streamsOf.safeParse(results.get('streams')).data
    if (!streams) {
      throw new UserError('The person at the device shared no screen.')
    }
    this.streams = streams.map(([node, given]) => {
      const [x, y] = pair.safeParse(given.get('position')).data ?? [0, 0]
      const [width, height] = pair.safeParse(given.get('size')).data ?? [0, 0]
      return { node, x, y, width, height }
    })
  }

  /** Asks the person, unless a grant is stored. Rejects with a UserError. */
  static open(bus: Bus, use: DesktopUse): Promise<PortalSession> {
    const opened = opening.then(() => PortalSession.#open(bus, use))
    opening = opened.catch(() => undefined)
    return opened
  }

  static async #open(bus: Bus, { grant, isSession }: DesktopUse) {
    if (!isSession) {
      // Each picture would be a session, of which the desktop tells the person.
      throw new UserError('This desktop shows pictures in sessions of remote control alone.')
    }
    const token = await grant.read()
    const created = await request(bus, {
      object: remoteDesktop,
      method: 'CreateSession',
      types: '',
      values: [],
      options: { session_handle_token: quoted(newToken()) },
      limitMs: setupMs,
    })
    const path = created.get('session_handle')
    if (typeof path !== 'string') {
      throw new UserError('The portal of this desktop made no session.')
    }
    try {
      await select(bus, path, token)
      const results = await start(bus, path)
      const next = results.get('restore_token')
      await grant.store(typeof next === 'string' ? next : null)
      return new PortalSession(bus, path, results)
    } catch (error) {
      bus.send(sessionAt(path), 'Close')
      if (error instanceof UserError) {
        // Declined, not answered, or no longer valid: the technician is told that the person is asked next time.
        await grant.store(null)
      }
      throw error
    }
  }

  /** Opens a connection to PipeWire with the streams of this session alone; the caller owns the descriptor. */
  async openPipeWire(): Promise<number> {
    const text = `(${quoted(this.#path)}, {})`
    const { descriptors } = await this.#bus.call(screenCast, 'OpenPipeWireRemote', { types: '(oa{sv})', text })
    const [descriptor] = descriptors
    if (descriptor === undefined) {
      throw new UserError('The portal of this desktop offers no pictures. Is PipeWire running?')
    }
    return descriptor
  }

  /**
   * Sends an input event after the ones before: the portal handles calls in threads, and thereby out of order. The last
   * value of a release is 0.
   */
  notify(event: string, types: string, ...values: (number | string)[]): void {
    const text = `(${[quoted(this.#path), '{}', ...values].join(', ')})`
    const given = { types: `(oa{sv}${types})`, text }
    // A session that has ended reports that itself.
    const send = () => this.#bus.call(remoteDesktop, `Notify${event}`, given).catch(() => undefined)
    this.#events.add(send, values.at(-1) === 0)
  }

  call(method: string, given: Arguments): Promise<Reply> {
    return this.#bus.call(clipboard, method, this.#ofSession(given))
  }

  send(method: string, types: string, text: string): void {
    this.#bus.send(clipboard, method, this.#ofSession({ types, text }))
  }

  listen(signal: string, listener: Parameters<Bus['listen']>[2]): () => void {
    return this.#bus.listen(clipboard, signal, ([session, ...values]) => {
      if (session === this.#path) {
        listener(values)
      }
    })
  }

  onClosed(listener: () => void): () => void {
    return this.#bus.listen(sessionAt(this.#path), 'Closed', listener)
  }

  /** Ends the session once the last input events have arrived. */
  async stop(): Promise<void> {
    await this.#events.end()
    this.#bus.send(sessionAt(this.#path), 'Close')
  }

  /** Puts the session before the arguments. */
  #ofSession({ types, text }: Arguments): Arguments {
    return { types: `(o${types.slice(1)}`, text: `(${quoted(this.#path)}, ${text.slice(1)}` }
  }
}

const sessionAt = (path: string): BusObject => ({
  name: remoteDesktop.name,
  path,
  interface: 'org.freedesktop.portal.Session',
})

/** Chooses what the session shares. */
async function select(bus: Bus, path: string, token: string | null) {
  const call = { types: 'o', values: [quoted(path)], limitMs: setupMs }
  const isRestorable = (await versionOf(bus, remoteDesktop)) >= restoringVersion
  const restoring = {
    persist_mode: `uint32 ${persistent}`,
    ...(token !== null && { restore_token: quoted(token) }),
  }
  await request(bus, {
    ...call,
    object: remoteDesktop,
    method: 'SelectDevices',
    options: { types: `uint32 ${devices}`, ...(isRestorable && restoring) },
  })
  await request(bus, {
    ...call,
    object: screenCast,
    method: 'SelectSources',
    options: { types: `uint32 ${monitors}`, multiple: 'true', cursor_mode: `uint32 ${embeddedPointer}` },
  })
  if ((await versionOf(bus, clipboard)) > 0) {
    await bus.call(clipboard, 'RequestClipboard', { types: '(oa{sv})', text: `(${quoted(path)}, {})` })
  }
}

/** Starts the session; the portal asks the person meanwhile. The question belongs to no window. */
const start = (bus: Bus, path: string) =>
  request(bus, {
    object: remoteDesktop,
    method: 'Start',
    types: 'os',
    values: [quoted(path), '""'],
    options: {},
    limitMs: personMs,
  })
