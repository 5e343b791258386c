import { availableParallelism, loadavg } from 'node:os'
import type { InputDevice, Xkb } from './protocol.ts'
import type { Connection } from './connection.ts'
import { keysym } from './keysyms.ts'

/** Request numbers of the extension XInput 1. */
const getDeviceKeyMapping = 24
const allDevices = 0
const plugKeyboard = 4
const answerHeaderBytes = 24
/** XKB events for a new keyboard and for a new map. */
const xkbMapEvents = 0b11
const allMaps = 0xff
/** Time that programs need to learn a changed key mapping. */
const settleMs = 25
/**
 * Minimum time before a lent key changes its meaning: programs look up a key's meaning when they process the event, not
 * when the key was pressed. A delayed machine needs longer.
 */
const quietMs = 150
const quietPerLateness = 8
/** Extra time for each runnable process per core, which may be scheduled before the program that looks up the key. */
const quietPerLoadMs = 300
const maxQuietMs = 2_000
/** Decay factor of the measured delay, per measurement. */
const calming = 0.8

/** Columns of the levels of a layout's two groups in a key's list: plain, Shift, AltGr, both. */
const levelColumns = [
  [0, 1, 4, 5],
  [2, 3, 6, 7],
] as const

export interface KeyPosition {
  keycode: number
  needsShift: boolean
  needsLevel3: boolean
  /** Whether Caps Lock swaps the Shift levels of the key. */
  isLetter: boolean
}

/** Spare key that is mapped to a character. */
interface LentKey {
  keycode: number
  /** Time when the key was last pressed or lent. */
  usedAt: number
}

type KeysymRows = readonly (readonly number[])[]

/**
 * Character of a Latin-1 or Unicode keysym; empty for legacy keysyms, which therefore never count as letters for Caps
 * Lock.
 */
function textOf(symbol: number) {
  const codePoint = symbol < 0x100 ? symbol : symbol - 0x100_0000
  return codePoint >= 0 && codePoint <= 0x10_ff_ff ? String.fromCodePoint(codePoint) : ''
}

const isLetterPair = (lower: number, upper: number) => lower !== upper && upper !== 0 && /^\p{Ll}$/u.test(textOf(lower))

/** Key mapping of the device, and spare keys that can be lent to characters without a key. */
export class KeyboardMap {
  readonly #connection: Connection
  readonly #firstKeycode: number
  /** Device that injected keys belong to: its layout may differ from the physical keyboard's layout. */
  readonly #device: { id: number; opcode: number } | null
  #isStale = true
  #rows: KeysymRows = []
  #groups: readonly Map<number, KeyPosition>[] = []
  #spare: number[] = []
  /** Lent keys by keysym. */
  readonly #lent = new Map<number, LentKey>()
  /** Measured scheduling delay of this machine, in ms. */
  #latenessMs = 0

  private constructor(connection: Connection, device: { id: number; opcode: number } | null) {
    this.#connection = connection
    this.#firstKeycode = connection.server.min_keycode
    this.#device = device
  }

  static async open(connection: Connection, xkb: Xkb | null): Promise<KeyboardMap> {
    const map = new KeyboardMap(connection, await findInjectingKeyboard(connection).catch(() => null))
    // Clients that use XKB receive no core events for most mapping changes.
    xkb?.SelectEvents(xkb.UseCoreKbd, xkbMapEvents, 0, xkbMapEvents, allMaps, allMaps)
    connection.listen(({ name, type }) => {
      map.#isStale ||= name === 'MappingNotify' || type === xkb?.firstEvent
    })
    await map.refresh()
    return map
  }

  /** Number of keys that are lent or can be lent. */
  get lendable() {
    return this.#spare.length + this.#lent.size
  }

  get hasLent() {
    return this.#lent.size > 0
  }

  isLent(symbols: readonly number[]) {
    return symbols.some((symbol) => this.#lent.has(symbol))
  }

  /** Reads the layout again if the display server has reported a change. */
  async refresh() {
    while (this.#isStale) {
      this.#isStale = false
      await this.#read()
    }
  }

  /** Keysym of a key without modifiers. */
  plainKeysym(keycode: number): number {
    return this.#rows[keycode - this.#firstKeycode]?.[0] ?? 0
  }

  /** Finds the first key with one of these keysyms in a group of the layout. */
  find(symbols: readonly number[], group: number): KeyPosition | undefined {
    for (const symbol of symbols) {
      const lent = this.#lent.get(symbol)
      const position = this.#groups[group]?.get(symbol)
      if (position) {
        return position
      }
      if (lent !== undefined) {
        lent.usedAt = performance.now()
        return { keycode: lent.keycode, needsShift: false, needsLevel3: false, isLetter: false }
      }
    }
    return undefined
  }

  keycodeOf(symbol: number): number | undefined {
    return this.#groups[0]?.get(symbol)?.keycode
  }

  /**
   * Lends keys to keysyms that no key has. If spare keys run out, takes back the least recently pressed keys after
   * their quiet time, except for keys in `kept`. Resolves when programs have learned the new mapping.
   */
  async lend(symbols: readonly number[], kept: readonly number[]) {
    if (symbols.length === 0) {
      return
    }
    await this.#takeBack(symbols.length - this.#spare.length, kept)
    for (const symbol of symbols) {
      const keycode = this.#spare.shift()
      if (keycode === undefined) {
        break
      }
      this.#lent.set(symbol, { keycode, usedAt: performance.now() })
      this.#bind(keycode, symbol)
    }
    await this.#connection.flush()
    await this.#pause(settleMs)
    await this.refresh()
  }

  /** Returns all lent keys to the spare keys. */
  restore() {
    for (const { keycode } of this.#lent.values()) {
      this.#bind(keycode, 0)
      this.#spare.push(keycode)
    }
    this.#lent.clear()
  }

  async #read() {
    const { client } = this.#connection
    const [rows, modifiers] = await Promise.all([
      this.#readRows(),
      this.#connection.ask<KeysymRows>((callback) => client.GetModifierMapping(callback)),
    ])
    this.#rows = rows
    for (const [symbol, { keycode }] of this.#lent) {
      if (this.plainKeysym(keycode) !== symbol) {
        // A new layout has overwritten the lent key.
        this.#lent.delete(symbol)
      }
    }
    const taken = new Set([...this.#lentKeycodes(), ...modifiers.flat()])
    this.#spare = rows
      .map((row, index) => ({ keycode: this.#firstKeycode + index, isEmpty: row.every((symbol) => symbol === 0) }))
      .filter(({ keycode, isEmpty }) => isEmpty && !taken.has(keycode))
      .map(({ keycode }) => keycode)
    this.#groups = levelColumns.map((columns) => this.#positions(columns))
  }

  #lentKeycodes() {
    return [...this.#lent.values()].map(({ keycode }) => keycode)
  }

  /**
   * Takes back `count` lent keys that are not in `needed`; first waits until no program can still be looking up their
   * old meaning.
   */
  async #takeBack(count: number, needed: readonly number[]) {
    if (count <= 0) {
      return
    }
    const oldest = [...this.#lent]
      .filter(([symbol]) => !needed.includes(symbol))
      .toSorted(([, a], [, b]) => a.usedAt - b.usedAt)
      .slice(0, count)
    const lastUse = Math.max(...oldest.map(([, { usedAt }]) => usedAt))
    await this.#connection.flush()
    await this.#pause(lastUse + this.#quiet() - performance.now())
    for (const [symbol, { keycode }] of oldest) {
      if (this.#lent.delete(symbol)) {
        this.#spare.push(keycode)
      }
    }
  }

  #quiet() {
    const [lastMinute = 0] = loadavg()
    const load = lastMinute / availableParallelism()
    return Math.min(maxQuietMs, quietMs + quietPerLateness * this.#latenessMs + quietPerLoadMs * load)
  }

  /** Waits, and measures this machine's scheduling delay. */
  async #pause(ms: number) {
    if (ms <= 0) {
      return
    }
    const due = performance.now() + ms
    await new Promise((resolve) => setTimeout(resolve, ms))
    this.#latenessMs = Math.max(this.#latenessMs * calming, performance.now() - due)
  }

  #bind(keycode: number, symbol: number) {
    if (this.#connection.isOpen) {
      this.#connection.client.ChangeKeyboardMapping(keycode, 2, [symbol, symbol])
    }
  }

  async #readRows(): Promise<KeysymRows> {
    const { client, server } = this.#connection
    const count = server.max_keycode - this.#firstKeycode + 1
    const device = this.#device
    if (!device) {
      return this.#connection.ask((callback) => client.GetKeyboardMapping(this.#firstKeycode, count, callback))
    }
    const body = Buffer.from([device.id, this.#firstKeycode, count, 0])
    return this.#connection.request(device.opcode, getDeviceKeyMapping, body, (answer) => {
      const width = answer[0] ?? 0
      const symbolAt = (row: number, column: number) =>
        answer.readUInt32LE(answerHeaderBytes + (row * width + column) * 4)
      return Array.from({ length: count }, (_, row) =>
        Array.from({ length: width }, (__, column) => symbolAt(row, column)),
      )
    })
  }

  #positions(columns: readonly number[]) {
    const lent = new Set(this.#lentKeycodes())
    const hasLevel3 = this.#rows.some(([plain]) => plain === keysym.Level3Shift)
    const positions = new Map<number, KeyPosition>()
    // Search plain levels first: for a character on several keys, choose the key with the fewest modifiers.
    for (const [level, column] of columns.entries()) {
      for (const [index, row] of this.#rows.entries()) {
        const keycode = this.#firstKeycode + index
        const symbol = row[column] ?? 0
        if (symbol === 0 || positions.has(symbol) || lent.has(keycode) || (level >= 2 && !hasLevel3)) {
          continue
        }
        positions.set(symbol, {
          keycode,
          needsShift: level % 2 === 1,
          needsLevel3: level >= 2,
          isLetter: level < 2 && isLetterPair(row[columns[0] ?? 0] ?? 0, row[columns[1] ?? 0] ?? 0),
        })
      }
    }
    return positions
  }
}

async function findInjectingKeyboard(connection: Connection) {
  const extension = await connection.extension('xinput')
  if (!extension.xi2) {
    return null
  }
  const devices = await connection.ask<readonly InputDevice[]>((callback) =>
    extension.XIQueryDevice(allDevices, callback),
  )
  const keyboard = devices.find(({ use, name }) => use === plugKeyboard && name.includes('XTEST'))
  return keyboard ? { id: keyboard.deviceId, opcode: extension.majorOpcode } : null
}
