import type { DisplayDto } from '../../../shared/remote-control/messages.ts'
import { spanOf } from '../../../shared/remote-control/span.ts'
import { allDisplays } from '../../../shared/remote-control/values.ts'
import { isDrawable } from '../../../shared/picture-size.ts'
import type { Size } from './placement.ts'
import { mostLetters, type FromStage } from './stage-messages.ts'

/** Maximum number of offered displays. */
const mostDisplays = 64

/** Displays of a device that the page can show, and the one that it shows. */
export class StageDisplays {
  #displays: readonly DisplayDto[] = []
  /** Number of displays that the device lists. */
  #listed = 0
  shownId: string | undefined
  /** Whether the device can show all displays in one picture. */
  canSpan = false

  /** Takes the list of the device. Returns its first display, the primary one if possible. */
  take(listed: readonly DisplayDto[]): DisplayDto | undefined {
    this.#listed = listed.length
    this.#displays = listed
      .filter(
        ({ capturePixelSize: { width, height }, displayId }) =>
          isDrawable(width, height) && displayId.length <= mostLetters,
      )
      .slice(0, mostDisplays)
      .map((display) => ({ ...display, name: display.name.slice(0, mostLetters) }))
    return this.#displays.find(({ isPrimary }) => isPrimary) ?? this.#displays[0]
  }

  /** Size of the picture of a display, or of all, in pixels of the device; undefined if it cannot be shown. */
  sizeOf(displayId: string): Size | undefined {
    if (displayId !== allDisplays) {
      return this.#displays.find((candidate) => candidate.displayId === displayId)?.capturePixelSize
    }
    const size = spanOf(this.#displays)
    return this.canSpan && this.#displays.length > 1 && isDrawable(size.width, size.height) ? size : undefined
  }

  /** Turns to a display. Returns the message for the page. */
  show(displayId: string, { width, height }: Size): FromStage {
    this.shownId = displayId
    return {
      is: 'displays',
      displays: this.#displays,
      listed: this.#listed,
      shownId: displayId,
      shownSize: { width, height },
    }
  }
}
