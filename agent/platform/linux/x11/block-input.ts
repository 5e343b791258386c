import { UserError } from '../../../base/errors.ts'
import type { DesktopSwitch } from '../../desktop/desktop.ts'
import { noSwitch } from '../../desktop/switches.ts'
import type { Connection } from './connection.ts'
import type { InputDevice, XInput } from './protocol.ts'

/** Request numbers of the extension XInput 2. */
const grabDevice = 51
const ungrabDevice = 52
const allDevices = 0
const plugPointer = 3
const plugKeyboard = 4
const asynchronous = 1
const success = 0
const tooOld = 'The display server is too old to block single input devices: it lacks XInput 2.'
/** Event for a device that was plugged in or removed. */
const hierarchyChanged = 11

/**
 * Blocks physical input devices: a grabbed device is detached from the pointer and keyboard that programs use, while
 * injected events come from a separate device. The display server releases the grab when our connection closes for any
 * reason.
 */
export class InputBlock implements DesktopSwitch {
  readonly obstacle = undefined
  onEnd: (reason: string) => void = () => undefined
  readonly #connection: Connection
  readonly #extension: XInput
  readonly #grabbed = new Set<number>()
  #isBlocked = false

  private constructor(connection: Connection, extension: XInput) {
    this.#connection = connection
    this.#extension = extension
  }

  static async open(connection: Connection): Promise<DesktopSwitch> {
    try {
      const extension = await connection.extension('xinput')
      if (!extension.xi2) {
        return noSwitch(tooOld)
      }
      const block = new InputBlock(connection, extension)
      extension.XISelectEvents(connection.root, { deviceId: allDevices, mask: 1 << hierarchyChanged })
      connection.listen((event) => {
        if (event.type === 35 && event.extension === extension.majorOpcode && block.#isBlocked) {
          void block.#grabAll().catch(() => undefined)
        }
      })
      return block
    } catch {
      return noSwitch(tooOld)
    }
  }

  /** Rejects with a UserError if no device was blocked. */
  async set(isBlocked: boolean): Promise<boolean> {
    this.#isBlocked = isBlocked
    if (isBlocked) {
      await this.#grabAll()
      if (this.#grabbed.size === 0) {
        this.#isBlocked = false
        throw new UserError('There is no pointer or keyboard to block, or another program holds them.')
      }
    } else {
      await this.#releaseAll()
    }
    return this.#grabbed.size > 0
  }

  async #grabAll() {
    const devices = await this.#connection.ask<readonly InputDevice[]>((callback) =>
      this.#extension.XIQueryDevice(allDevices, callback),
    )
    const plugged = devices.filter(
      ({ use, name }) => (use === plugPointer || use === plugKeyboard) && !name.includes('XTEST'),
    )
    for (const { deviceId } of plugged) {
      if (!this.#grabbed.has(deviceId) && (await this.#grab(deviceId)) === success) {
        this.#grabbed.add(deviceId)
      }
    }
    if (!this.#isBlocked) {
      // Unblocked while a device that was just plugged in was being grabbed.
      await this.#releaseAll()
    }
  }

  async #releaseAll() {
    for (const device of this.#grabbed) {
      this.#ungrab(device)
    }
    this.#grabbed.clear()
    await this.#connection.flush()
  }

  #grab(device: number) {
    const body = Buffer.alloc(24)
    body.writeUInt32LE(this.#connection.root, 0)
    body.writeUInt16LE(device, 12)
    body[14] = asynchronous
    body[15] = asynchronous
    body.writeUInt16LE(1, 18)
    return this.#connection.request(this.#extension.majorOpcode, grabDevice, body, (answer) => answer[0])
  }

  #ungrab(device: number) {
    const body = Buffer.alloc(8)
    body.writeUInt16LE(device, 4)
    this.#connection.post(this.#extension.majorOpcode, ungrabDevice, body)
  }
}
