import { Mutex } from '../../../../shared/mutex.ts'
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
  /** Serializes changes: a device that is grabbed during a release would be reported as blocked. */
  readonly #changes = new Mutex()
  readonly #grabbed = new Set<number>()

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
        if (event.type === 35 && event.extension === extension.majorOpcode) {
          block.#changes.run(() => block.#grabPlugged()).catch(() => undefined)
        }
      })
      return block
    } catch {
      return noSwitch(tooOld)
    }
  }

  /** Rejects with a UserError if no device was blocked. */
  set(isBlocked: boolean): Promise<boolean> {
    return this.#changes.run(async () => {
      await (isBlocked ? this.#grabAll() : this.#releaseAll())
      if (isBlocked && this.#grabbed.size === 0) {
        throw new UserError('There is no pointer or keyboard to block, or another program holds them.')
      }
      return isBlocked
    })
  }

  /** Grabs devices that were plugged in while input is blocked. */
  async #grabPlugged() {
    if (this.#grabbed.size > 0) {
      await this.#grabAll()
    }
  }

  async #grabAll() {
    const devices = await this.#connection.ask<readonly InputDevice[]>((callback) =>
      this.#extension.XIQueryDevice(allDevices, callback),
    )
    const plugged = devices.filter(
      ({ use, name }) => (use === plugPointer || use === plugKeyboard) && !name.includes('XTEST'),
    )
    // Grabbed devices too: one that was unplugged and plugged in again may have the same number.
    for (const { deviceId } of plugged) {
      if ((await this.#grab(deviceId)) === success) {
        this.#grabbed.add(deviceId)
      }
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
