/** Process that keeps the screens of an X display blank until its standard input ends. */
import type { Readable } from 'node:stream'
import { reasonOf } from '../../../base/errors.ts'
import { Connection, type DisplayAddress } from './connection.ts'
import { Gamma, isBlack, plainRamp } from './gamma.ts'

/** Programs that change colors at night set ramps of their own, and displays are plugged in. */
const lookEveryMs = 1000
/** First line of output once all screens are blank; any other line is the reason of a failure, or of the end. */
export const blankLine = 'blank'

class Blank {
  readonly #gamma: Gamma
  readonly #connection: Connection
  readonly #before = new Map<number, Buffer>()

  constructor(gamma: Gamma, connection: Connection) {
    this.#gamma = gamma
    this.#connection = connection
  }

  /** Rejects unless the display server confirms a black ramp for each display. */
  async apply(): Promise<void> {
    for (const [crtc, ramp] of await this.#gamma.read()) {
      // A ramp that is black already was left behind by a process that was killed.
      this.#before.set(crtc, this.#before.get(crtc) ?? (isBlack(ramp) ? plainRamp(ramp.length) : ramp))
      if (!isBlack(ramp)) {
        this.#gamma.write(crtc, Buffer.alloc(ramp.length))
      }
    }
    if (![...(await this.#gamma.read()).values()].every(isBlack)) {
      throw new Error('The graphics driver of this device did not blank the screens.')
    }
  }

  async restore(): Promise<void> {
    for (const [crtc, ramp] of this.#before) {
      this.#gamma.write(crtc, ramp)
    }
    await this.#connection.flush()
  }
}

/** Resolves when `input` ends or this process is asked to exit. */
const whenAsked = (input: Readable) =>
  new Promise<void>((resolve) => {
    input
      .on('end', resolve)
      .on('error', () => resolve())
      .resume()
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => resolve())
    }
  })

/**
 * Blanks the screens until `input` ends, however the process on its other end was stopped: the display server restores
 * no ramp by itself. `say` receives a line for each state.
 */
export async function keepBlank(address: DisplayAddress, input: Readable, say: (line: string) => void): Promise<void> {
  let isAsked = false
  const asked = whenAsked(input).then(() => {
    isAsked = true
  })
  let blank: Blank | undefined
  try {
    const connection = await Connection.open(address)
    const ended = new Promise<string>((resolve) => {
      connection.onEnd = resolve
    })
    blank = new Blank(await Gamma.open(connection), connection)
    await blank.apply()
    say(blankLine)
    while (!isAsked) {
      let timer: NodeJS.Timeout | undefined
      const pause = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, lookEveryMs)
      })
      await Promise.race([asked, ended, pause])
      clearTimeout(timer)
      if (!isAsked) {
        await blank.apply()
      }
    }
  } catch (error) {
    say(`${reasonOf(error)}.`)
  } finally {
    await blank?.restore().catch(() => undefined)
  }
}
