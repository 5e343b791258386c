import { availableParallelism, loadavg } from 'node:os'
import type { InputDevice, Xkb } from './protocol.ts'
import type { Connection } from './connection.ts'
import { keysym } from './keysyms.ts'

/** XInput 1. */
const getDeviceKeyMapping = 24
const allDevices = 0
const plugKeyboard = 4
const answerHeaderBytes = 24
/** XKB: another keyboard, another map. */
const xkbMapEvents = 0b11
const allMaps = 0xff
/** Programs need as long to notice that a key means something else now. */
const settleMs = 25
/**
 * A program looks up what a key means when it gets to the event, and finds what the key means by then. So a key that was
 * pressed keeps its meaning for a while, and longer on a machine that is late with everything else too.
 */
const quietMs = 150
const quietPerLateness = 8
/** For each process on a core that waits or runs: this one may get its turn when the program does not. */
const quietPerLoadMs = 300
const maxQuietMs = 2_000
/** How fast a lateness that was seen is forgotten, with each look. */
const calming = 0.8

/** Where the levels of a layout's two groups stand in a key's list: plain, Shift, AltGr, both. */
const levelColumns = [
  [0, 1, 4, 5],
  [2, 3, 6, 7],
] as const

export interface KeyPosition {
  keycode: number
  needsShift: boolean
  needsLevel3: boolean
  /** Whether Caps Lock swaps what Shift does there. */
  isLetter: boolean
}

/** A spare key that stands for a character. */
interface LentKey {
  keycode: number
  /** When it was last pressed, or lent. */
  usedAt: number
}

type KeysymRows = readonly (readonly number[])[]

/** Of Latin-1 and Unicode numbers; of the older tables' nothing is known but that they are no letters for Caps Lock. */
function textOf(symbol: number) {
  const codePoint = symbol < 0x100 ? symbol : symbol - 0x100_0000
  return codePoint >= 0 && codePoint <= 0x10_ff_ff ? String.fromCodePoint(codePoint) : ''
}

const isLetterPair = (lower: number, upper: number) => lower !== upper && upper !== 0 && /^\p{Ll}$/u.test(textOf(lower))

/** What the keys of the device mean, and spare keys that can be lent to characters that no key has. */
export class KeyboardMap {
  readonly #connection: Connection
  readonly #firstKeycode: number
  /** The device that injected keys come from: it may have another layout than the one on the desk. */
  readonly #device: { id: number; opcode: number } | null
  #isStale = true
  #rows: KeysymRows = []
  #groups: readonly Map<number, KeyPosition>[] = []
  #spare: number[] = []
  /** By the keysyms that they are lent to. */
  readonly #lent = new Map<number, LentKey>()
  /** How late this machine is with what is due, in ms. */
  #latenessMs = 0

  private constructor(connection: Connection, device: { id: number; opcode: number } | null) {
    this.#connection = connection
    this.#firstKeycode = connection.server.min_keycode
    this.#device = device
  }

  static async open(connection: Connection, xkb: Xkb | null): Promise<KeyboardMap> {
    const map = new KeyboardMap(connection, await findInjectingKeyboard(connection).catch(() => null))
    // Who has asked for the extension gets no core events of most changes.
    xkb?.SelectEvents(xkb.UseCoreKbd, xkbMapEvents, 0, xkbMapEvents, allMaps, allMaps)
    connection.listen(({ name, type }) => {
      map.#isStale ||= name === 'MappingNotify' || type === xkb?.firstEvent
    })
    await map.refresh()
    return map
  }

  /** Keys that are lent or could be. */
  get lendable() {
    return this.#spare.length + this.#lent.size
  }

  get hasLent() {
    return this.#lent.size > 0
  }

  isLent(symbols: readonly number[]) {
    return symbols.some((symbol) => this.#lent.has(symbol))
  }

  /** Reads the layout again where the display server has said since that it changed. */
  async refresh() {
    while (this.#isStale) {
      this.#isStale = false
      await this.#read()
    }
  }

  /** What a key means without modifiers. */
  plainKeysym(keycode: number): number {
    return this.#rows[keycode - this.#firstKeycode]?.[0] ?? 0
  }

  /** The first key with one of these meanings in a group of the layout. */
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
   * Lends keys to these keysyms, which have none; the ones that were not pressed for the longest time make room, once they
   * were quiet for long enough, except for those that are `kept`. Resolves when programs know it.
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

  /** Makes all lent keys spare again. */
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
        // A new layout has overwritten it.
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

  /** Makes so many lent keys spare that nobody needs; waits until no program can still be looking them up. */
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

  /** Waits, and learns from it how busy this machine is. */
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
    // Plain levels first: where a character is on several keys, the one that needs least is taken.
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
