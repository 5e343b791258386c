import { UserError } from '../../base/errors.ts'
import type { DesktopSwitch } from './desktop.ts'

/** Switch of a desktop that cannot do this. */
export const noSwitch = (obstacle: string): DesktopSwitch => ({
  obstacle,
  set: () => Promise.reject(new UserError(obstacle)),
  onEnd: () => undefined,
})

/** State of the whole session of a person, on while any desktop object of this process wants it. */
export class SharedState {
  readonly #apply: (isOn: boolean) => Promise<void>
  readonly #holders = new Set<DesktopSwitch>()
  #pending: Promise<unknown> = Promise.resolve()

  /** `apply` resolves when the system has confirmed the state, and rejects with a UserError otherwise. */
  constructor(apply: (isOn: boolean) => Promise<void>) {
    this.#apply = apply
  }

  /** Creates the switch of one desktop object. */
  newSwitch(obstacle?: string): DesktopSwitch {
    const holder: DesktopSwitch = {
      obstacle,
      set: (isOn) => {
        const result = this.#pending.then(() => this.#set(holder, isOn))
        this.#pending = result.catch(() => undefined)
        return result
      },
      onEnd: () => undefined,
    }
    return holder
  }

  /** Switches off for all holders, and reports why. */
  async stop(reason: string): Promise<void> {
    if (this.#holders.size > 0) {
      await this.#apply(false).catch(() => undefined)
      this.end(reason)
    }
  }

  /** Reports to all holders that the state has ended by itself. */
  end(reason: string): void {
    const holders = [...this.#holders]
    this.#holders.clear()
    holders.forEach((holder) => holder.onEnd(reason))
  }

  async #set(holder: DesktopSwitch, isOn: boolean) {
    if (isOn) {
      if (this.#holders.size === 0) {
        await this.#apply(true)
      }
      this.#holders.add(holder)
    } else if (this.#holders.has(holder)) {
      if (this.#holders.size === 1) {
        await this.#apply(false)
      }
      this.#holders.delete(holder)
    }
    return this.#holders.has(holder)
  }
}
