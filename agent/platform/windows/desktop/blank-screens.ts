import { release } from 'node:os'
import { UserError } from '../../../base/errors.ts'
import type { Display } from '../../desktop/desktop.ts'
import { SharedState } from '../../desktop/switches.ts'
import { common, reasonOf, type Handle, type Out } from '../library.ts'
import { winuser } from '../win32/winuser.ts'
import { readDisplays } from './displays.ts'
import { processWindows, type ProcessWindows } from './process-windows.ts'

/** `WDA_EXCLUDEFROMCAPTURE`: the window is on the screen, and in no captured picture. */
const excludedFromCapture = 0x11
/** Windows 10, version 2004: before it, such a window is black in captured pictures too. */
const firstBuild = 19_041
const showWithoutFocus = 4
/** `LWA_ALPHA`. Windows excludes no layered window that is drawn by UpdateLayeredWindow. */
const byAlpha = 2
const opaque = 255
const lookEveryMs = 1000

type Api = Awaited<ReturnType<typeof winuser>>

/** Reason why this version of Windows, such as `10.0.19045`, cannot blank the screens. */
export const blankObstacle = (): string | undefined =>
  Number(release().split('.')[2]) >= firstBuild
    ? undefined
    : 'Windows blanks screens for the person alone since version 2004 of Windows 10, and this device has an older one.'

/** Throws a UserError unless Windows confirms that pictures do not show the window. */
function excludeFromCapture(window: Handle): void {
  const { setWindowDisplayAffinity, getWindowDisplayAffinity } = winuser.now()
  const isSet = setWindowDisplayAffinity(window, excludedFromCapture)
  const code = common.now().lastError()
  const affinity: Out<number> = [0]
  if (!isSet || !getWindowDisplayAffinity(window, affinity) || affinity[0] !== excludedFromCapture) {
    throw new UserError(`Windows does not leave a blank window out of the picture: ${reasonOf(code)}.`)
  }
}

/**
 * Covers each display with a black window that pictures do not show, and through which the viewer clicks. Windows closes
 * the windows when this process ends for any reason.
 */
export class Covers {
  readonly #api: Api
  readonly #windows: ProcessWindows
  readonly #exclude: (window: Handle) => void
  readonly #open = new Map<string, Handle>()
  onFailure: (reason: string) => void = () => undefined
  #looking: NodeJS.Timeout | undefined

  private constructor(api: Api, windows: ProcessWindows, exclude: (window: Handle) => void) {
    this.#api = api
    this.#windows = windows
    this.#exclude = exclude
  }

  static async create(exclude = excludeFromCapture): Promise<Covers> {
    return new Covers(await winuser(), await processWindows(), exclude)
  }

  /** Throws a UserError without leaving a window. */
  open(): void {
    try {
      this.#follow()
      this.#windows.raise()
    } catch (error) {
      this.close()
      throw error
    }
    this.#looking = setInterval(() => this.#look(), lookEveryMs).unref()
  }

  close(): void {
    clearInterval(this.#looking)
    this.#open.forEach((window) => this.#windows.destroy(window))
    this.#open.clear()
  }

  #look() {
    try {
      this.#follow()
      this.#windows.raise()
    } catch (error) {
      this.close()
      this.onFailure((error as Error).message)
    }
  }

  /** Covers displays that are new or were resized, then uncovers those that are gone; checks the others. */
  #follow() {
    const displays = readDisplays(this.#api)
    if (displays.length === 0) {
      if (this.#open.size === 0) {
        throw new UserError('Windows reports no display that could be blanked.')
      }
      // While displays are switched, Windows reports none for a moment.
      return
    }
    const wanted = new Map(displays.map((display) => [JSON.stringify(display), display]))
    this.#open.forEach((window, key) => {
      if (wanted.has(key) && !this.#api.isWindowVisible(window)) {
        throw new UserError('Another program closed or hid a window that blanks a screen.')
      }
    })
    wanted.forEach((display, key) => {
      if (!this.#open.has(key)) {
        this.#open.set(key, this.#cover(display))
      }
    })
    this.#open.forEach((window, key) => {
      if (!wanted.has(key)) {
        this.#open.delete(key)
        this.#windows.destroy(window)
      }
    })
  }

  #cover({ bounds }: Display): Handle {
    const window = this.#windows.createCover(bounds)
    try {
      this.#api.setLayeredWindowAttributes(window, 0, opaque, byAlpha)
      this.#exclude(window)
    } catch (error) {
      this.#windows.destroy(window)
      throw error
    }
    this.#api.showWindow(window, showWithoutFocus)
    return window
  }
}

let covers: Covers | undefined

/** Blank screens of this session of Windows. */
export const blankScreens = new SharedState(async (isOn) => {
  if (isOn) {
    covers = await Covers.create()
    covers.onFailure = (reason) => blankScreens.end(reason)
    covers.open()
  } else {
    covers?.close()
  }
})
