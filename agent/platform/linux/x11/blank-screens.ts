import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { blankCommand } from '../../../base/arguments.ts'
import { desktopEnvironment } from '../../../base/environment.ts'
import { UserError } from '../../../base/errors.ts'
import { programFile } from '../../../base/version.ts'
import type { DesktopSwitch } from '../../desktop/desktop.ts'
import { SharedState } from '../../desktop/switches.ts'
import { blankLine } from './blank-process.ts'
import type { Connection, DisplayAddress } from './connection.ts'
import { Gamma, isBlack, plainRamp } from './gamma.ts'

/** Longer than the process waits for a display that does not answer. */
const startMs = 15_000
const restoreMs = 5_000
const notBlanked = 'The process that blanks the screens did not start.'

/** Starts the process that blanks a display; it restores the display when this process ends in any way. */
function spawnBlank({ display, authorityFile }: DisplayAddress): ChildProcess {
  const variables = { DISPLAY: display, ...(authorityFile !== undefined && { XAUTHORITY: authorityFile }) }
  return spawn(process.execPath, [programFile(), blankCommand], {
    env: desktopEnvironment(variables),
    stdio: ['pipe', 'pipe', 'inherit'],
    // Signals for the group of this process would reach it as well.
    detached: true,
  })
}

class BlankScreens {
  readonly state = new SharedState((isOn) => (isOn ? this.#start() : this.#stop()))
  readonly #address: DisplayAddress
  #process: ChildProcess | undefined

  constructor(address: DisplayAddress) {
    this.#address = address
  }

  get isOn(): boolean {
    return this.#process !== undefined
  }

  async #start() {
    const child = spawnBlank(this.#address)
    const lines = createInterface({ input: child.stdout! })
    this.#process = child
    let reason = notBlanked
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => {
        this.#process = undefined
        // Restores the screens if the display answers later.
        child.stdin?.end()
        reject(new UserError('The display does not answer.'))
      }, startMs)
      lines.on('line', (line) => {
        if (line === blankLine) {
          resolve()
        } else {
          reason = line
        }
      })
      child.on('error', (error) => {
        this.#process = undefined
        reject(new UserError(`${notBlanked.slice(0, -1)}: ${error.message}.`))
      })
      child.on('close', (status) => {
        if (this.#process === child) {
          this.#process = undefined
          reject(new UserError(reason))
          this.state.end(reason === notBlanked ? 'The process that blanks the screens ended.' : reason)
          if (status === null) {
            // Killed before it could restore the screens: another one finds them black, and does.
            spawnBlank(this.#address).stdin?.end()
          }
        }
      })
    }).finally(() => clearTimeout(timer))
  }

  /** Waits for a limited time: the process goes on until the display has answered. */
  async #stop() {
    const child = this.#process
    this.#process = undefined
    if (child) {
      const closed = once(child, 'close').catch(() => undefined)
      child.stdin?.end()
      await Promise.race([closed, wait(restoreMs, undefined, { ref: false })])
    }
  }
}

/** Shared by the sessions of a display. */
const blanks = new Map<string, BlankScreens>()

/** Reason why the screens cannot be blanked. Restores screens that a killed process left black. */
async function obstacleOf(connection: Connection, isOn: boolean): Promise<string | undefined> {
  try {
    const gamma = await Gamma.open(connection)
    const ramps = [...(await gamma.read())]
    if (!isOn && ramps.every(([, ramp]) => isBlack(ramp))) {
      ramps.forEach(([crtc, ramp]) => gamma.write(crtc, plainRamp(ramp.length)))
    }
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

export async function openBlankScreens(connection: Connection, address: DisplayAddress): Promise<DesktopSwitch> {
  const { display } = address
  const blank = blanks.get(display) ?? new BlankScreens(address)
  blanks.set(display, blank)
  return blank.state.newSwitch(await obstacleOf(connection, blank.isOn))
}
