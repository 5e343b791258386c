import { allDisplays } from '../../../shared/remote-control/values.ts'
import type { Clock } from '../../base/clock.ts'
import type { Desktop } from '../../platform/desktop/desktop.ts'
import type { DeviceChannel, ScreenSender } from './screen-sender.ts'

/** Polling interval: systems send no event for the pointer. */
const lookMs = 250

interface PointerFollowerDependencies {
  desktop: Desktop
  clock: Clock
  screen: Pick<ScreenSender, 'display' | 'show'>
  channel: Pick<DeviceChannel, 'send'>
}

/** Shows the display that the pointer enters, on request of the viewer. A pointer that rests changes nothing. */
export class PointerFollower {
  readonly #deps: PointerFollowerDependencies
  #stop: (() => void) | undefined
  /** A desktop that does not answer is not asked again meanwhile. */
  #isLooking = false
  #last = ''

  constructor(deps: PointerFollowerDependencies) {
    this.#deps = deps
  }

  set(isOn: boolean): void {
    this.#stop?.()
    this.#stop = isOn ? this.#deps.clock.every(lookMs, () => void this.#look()) : undefined
  }

  async #look() {
    const { desktop, screen, channel } = this.#deps
    if (this.#isLooking) {
      return
    }
    this.#isLooking = true
    // A closed desktop reports its end by itself.
    const pointer = await desktop.pointer().catch(() => undefined)
    this.#isLooking = false
    const at = `${pointer?.x} ${pointer?.y}`
    if (!pointer || !this.#stop || at === this.#last) {
      return
    }
    this.#last = at
    const entered = desktop
      .displays()
      .find(
        ({ bounds: { x, y, width, height } }) =>
          pointer.x >= x && pointer.x < x + width && pointer.y >= y && pointer.y < y + height,
      )
    const shown = screen.display?.id
    if (entered && entered.id !== shown && shown !== allDisplays) {
      void channel.send('DisplayShown', { displayId: entered.id })
      screen.show(entered.id)
    }
  }
}
