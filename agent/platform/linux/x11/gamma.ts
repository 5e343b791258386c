import { UserError } from '../../../base/errors.ts'
import type { Connection } from './connection.ts'

/** Request numbers and version of RANDR 1.3. */
const getCrtcInfo = 20
const getGamma = 23
const setGamma = 24
const getResources = 25
const firstMinorWithResources = 3

const answerHeaderBytes = 24
const bytesPerEntry = 2
const brightest = 0xffff
const colors = 3

const numbers = (...values: number[]) => {
  const body = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => body.writeUInt32LE(value, index * 4))
  return body
}

/** Ramp of a display without color correction, for the three colors. */
export function plainRamp(byteCount: number): Buffer {
  const size = byteCount / bytesPerEntry / colors
  const ramp = Buffer.alloc(byteCount)
  for (let at = 0; at < size * colors; at++) {
    ramp.writeUInt16LE(Math.round(((at % size) * brightest) / Math.max(1, size - 1)), at * bytesPerEntry)
  }
  return ramp
}

/** With such a ramp a display is black, whatever is drawn on it. */
export const isBlack = (ramp: Buffer) => ramp.every((byte) => byte === 0)

/**
 * Gamma ramps of the active displays, by the number of their CRTC. The graphics card applies them behind the picture
 * that programs draw and capture.
 */
export class Gamma {
  readonly #connection: Connection
  readonly #opcode: number

  private constructor(connection: Connection, opcode: number) {
    this.#connection = connection
    this.#opcode = opcode
  }

  /** Rejects with a UserError if the display server has no ramps. */
  static async open(connection: Connection): Promise<Gamma> {
    const randr = await connection.extension('randr')
    if (randr.minor_version < firstMinorWithResources) {
      throw new UserError('The display server is too old to blank the screens: it lacks RANDR 1.3.')
    }
    return new Gamma(connection, randr.majorOpcode)
  }

  /** Rejects with a UserError if a display has no ramp. */
  async read(): Promise<Map<number, Buffer>> {
    const ramps = new Map<number, Buffer>()
    for (const crtc of await this.#activeCrtcs()) {
      const ramp = await this.#request(getGamma, numbers(crtc), (answer) => {
        const byteCount = answer.readUInt16LE(0) * bytesPerEntry * colors
        return Buffer.from(answer.subarray(answerHeaderBytes, answerHeaderBytes + byteCount))
      })
      if (ramp.length === 0) {
        throw new UserError('The graphics driver of this device has no gamma ramps, which blank a screen.')
      }
      ramps.set(crtc, ramp)
    }
    if (ramps.size === 0) {
      throw new UserError('This display server has no display that could be blanked.')
    }
    return ramps
  }

  /** Takes effect when the display server has handled the next request with a reply. */
  write(crtc: number, ramp: Buffer): void {
    const head = Buffer.alloc(8)
    head.writeUInt32LE(crtc, 0)
    head.writeUInt16LE(ramp.length / bytesPerEntry / colors, 4)
    const padding = Buffer.alloc((4 - (ramp.length % 4)) % 4)
    this.#connection.post(this.#opcode, setGamma, Buffer.concat([head, ramp, padding]))
  }

  async #activeCrtcs() {
    const { crtcs, configuredAt } = await this.#request(getResources, numbers(this.#connection.root), (answer) => ({
      configuredAt: answer.readUInt32LE(4),
      crtcs: Array.from({ length: answer.readUInt16LE(8) }, (_, at) => answer.readUInt32LE(answerHeaderBytes + at * 4)),
    }))
    const modes = await Promise.all(
      crtcs.map((crtc) => this.#request(getCrtcInfo, numbers(crtc, configuredAt), (answer) => answer.readUInt32LE(12))),
    )
    return crtcs.filter((_, index) => modes[index] !== 0)
  }

  #request<T>(number: number, body: Buffer, parse: (answer: Buffer) => T) {
    return this.#connection.request(this.#opcode, number, body, parse)
  }
}
