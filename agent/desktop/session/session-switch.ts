import { reasonOf } from '../../base/errors.ts'
import type { DesktopSwitch } from '../../platform/desktop/desktop.ts'

/** State in effect after a request of the viewer, or after the state has ended by itself. */
interface SwitchReport {
  isSuccess: boolean
  finalState: boolean
  reason?: string
}

/** Switch of the desktop as one session uses it: requests are served in order, and each state is reported. */
export class SessionSwitch {
  readonly #target: DesktopSwitch
  readonly #report: (report: SwitchReport) => void
  #isOn = false
  #pending: Promise<void> = Promise.resolve()

  constructor(target: DesktopSwitch, report: (report: SwitchReport) => void) {
    this.#target = target
    this.#report = report
    target.onEnd = (reason) => {
      this.#isOn = false
      report({ isSuccess: true, finalState: false, reason })
    }
  }

  /** Reports nothing if the desktop never can: the viewer already has the obstacle, and others expect silence. */
  async set(isOn: boolean): Promise<void> {
    if (this.#target.obstacle === undefined) {
      const problem = await this.#apply(isOn)
      const finalState = this.#isOn
      this.#report({ isSuccess: finalState === isOn, finalState, ...(problem !== undefined && { reason: problem }) })
    }
  }

  /** Switches off at the end of the session; also waits for a pending request. */
  async release(): Promise<void> {
    await this.#pending
    this.#target.onEnd = () => undefined
    if (this.#isOn) {
      await this.#apply(false)
    }
  }

  /** Resolves with the reason if the state could not be changed. */
  async #apply(isOn: boolean): Promise<string | undefined> {
    let problem: string | undefined
    this.#pending = this.#pending.then(async () => {
      try {
        this.#isOn = await this.#target.set(isOn)
      } catch (error) {
        problem = `${reasonOf(error)}.`
      }
    })
    await this.#pending
    return problem
  }
}
