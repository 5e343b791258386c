import { setTimeout as wait } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import type { Event } from './protocol.ts'
import type { SelectionAtoms } from './selection-atoms.ts'

/** Timeout for programs that do not reply, or stop in the middle of a long content. */
const silenceMs = 3_000
const now = 0
const anyType = 0
/** Maximum length of one read in units of four bytes: a program may store any amount in one property. */
const unitsAtOnce = 256 * 1024
const newValue = 0

interface Property {
  type: number
  value: Buffer
}

/** Queue of events for which `matches` returns true; `next` returns null after the timeout. */
class Events implements Disposable {
  readonly #seen: Event[] = []
  #wake: () => void = () => undefined
  readonly #unlisten: () => void

  constructor(connection: Connection, matches: (event: Event) => boolean) {
    this.#unlisten = connection.listen((event) => {
      if (matches(event)) {
        this.#seen.push(event)
        this.#wake()
      }
    })
  }

  async next(): Promise<Event | null> {
    if (this.#seen.length === 0) {
      const timeout = new AbortController()
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      await Promise.race([
        woken,
        wait(silenceMs, undefined, { ref: false, signal: timeout.signal }).catch(() => undefined),
      ])
      timeout.abort()
    }
    return this.#seen.shift() ?? null
  }

  [Symbol.dispose]() {
    this.#unlisten()
  }
}

/** Reads a property completely and deletes it; the deletion requests the next part of a long content. */
async function takeProperty(connection: Connection, window: number, property: number, maxBytes: number) {
  const { client } = connection
  const pieces: Buffer[] = []
  let type = 0
  let byteCount = 0
  for (;;) {
    const offset = byteCount / 4
    const part = await connection.ask<{ type: number; bytesAfter: number; data: Buffer }>((callback) =>
      client.GetProperty(1, window, property, anyType, offset, unitsAtOnce, callback),
    )
    type = part.type
    byteCount += part.data.length
    pieces.push(part.data)
    if (byteCount > maxBytes) {
      client.DeleteProperty(window, property)
      return { type, value: null }
    }
    if (part.bytesAfter === 0) {
      return { type, value: Buffer.concat(pieces) }
    }
  }
}

async function takeParts(connection: Connection, parts: Events, window: number, property: number, maxBytes: number) {
  const pieces: Buffer[] = []
  let byteCount = 0
  let type = 0
  while (await parts.next()) {
    const part = await takeProperty(connection, window, property, maxBytes)
    byteCount += part.value?.length ?? 0
    if (part.value === null || byteCount > maxBytes) {
      return 'too long'
    }
    if (part.value.length === 0) {
      return { type, value: Buffer.concat(pieces) }
    }
    type = part.type
    pieces.push(part.value)
  }
  return 'silent'
}

/** Requests the owner's content as one target. */
async function convert(
  connection: Connection,
  atoms: SelectionAtoms,
  window: number,
  target: number,
  maxBytes: number,
): Promise<Property | 'too long' | 'refused' | 'silent'> {
  const { clipboard, answer, incremental } = atoms
  using answers = new Events(
    connection,
    ({ name, type, requestor, selection, target: given }) =>
      // The extension XFIXES has an event of the same name with another number.
      name === 'SelectionNotify' && type === 31 && requestor === window && selection === clipboard && given === target,
  )
  using parts = new Events(
    connection,
    ({ name, wid, atom, state }) =>
      name === 'PropertyNotify' && wid === window && atom === answer && state === newValue,
  )
  connection.client.DeleteProperty(window, answer)
  connection.client.ConvertSelection(window, clipboard, target, answer, now)
  const notice = await answers.next()
  if (!notice) {
    return 'silent'
  }
  if (notice.property === 0) {
    return 'refused'
  }
  // The first event announces the parts, and carries no content.
  await parts.next()
  const { type, value } = await takeProperty(connection, window, answer, maxBytes)
  if (value === null) {
    return 'too long'
  }
  return type === incremental ? await takeParts(connection, parts, window, answer, maxBytes) : { type, value }
}

const atomBytes = 4
/** Maximum size of a list of targets; programs offer a few dozen. */
const maxTargetBytes = 64 * 1024

const hasAtom = (list: Buffer, atom: number) =>
  Array.from({ length: Math.floor(list.length / atomBytes) }, (_, index) =>
    list.readUInt32LE(index * atomBytes),
  ).includes(atom)

/** Returns the CLIPBOARD content of another program as the first of the targets that it offers; null without one. */
export async function readSelection(
  connection: Connection,
  atoms: SelectionAtoms,
  window: number,
  targets: readonly number[],
  maxBytes: number,
): Promise<Property | 'too long' | null> {
  const { client } = connection
  const owner = await connection.ask<number>((callback) => client.GetSelectionOwner(atoms.clipboard, callback))
  if (owner === 0) {
    return null
  }
  const list = await convert(connection, atoms, window, atoms.targets, maxTargetBytes)
  if (list === 'silent') {
    return null
  }
  // Asking first: programs such as xclip answer every target with what they have.
  const offered = typeof list === 'string' ? targets : targets.filter((target) => hasAtom(list.value, target))
  for (const target of offered) {
    const found = await convert(connection, atoms, window, target, maxBytes)
    if (found === 'silent') {
      return null
    }
    if (found !== 'refused') {
      return found
    }
  }
  return null
}
