import { pointerCursor } from '../../../../shared/remote-control/values.ts'
import { UserError } from '../../../base/errors.ts'
import { unionOf } from '../../desktop/areas.ts'
import type { Clipboard, Cursor, Desktop, Display, Notice, Screen } from '../../desktop/desktop.ts'
import { noSwitch } from '../../desktop/switches.ts'
import { SecureDesktop } from '../secure-desktop/client.ts'
import { WindowsInput } from './input.ts'
import { GdiScreen } from './screen.ts'

const lookEveryMs = 1000
/** Windows switches desktops during a sign-in, and shows neither for a moment. */
const missesUntilEnd = 3
const signingIn = 'Windows shows its sign-in screen, or somebody signs in.'
const signedIn = 'Somebody signed in, or the sign-in screen was closed. Select the desktop again.'

const noClipboard: Clipboard = {
  onChange: () => undefined,
  readText: () => Promise.resolve(null),
  writeText: () => Promise.reject(new UserError('The sign-in screen has no clipboard.')),
}

/** Sign-in screen of a session without a user. This process sees no desktop at all: the helper does. */
export class SignInDesktop implements Desktop {
  readonly captureMode = 'GDI'
  readonly spansDisplays = true
  readonly input: WindowsInput
  readonly clipboard = noClipboard
  readonly blockInput = noSwitch('Windows blocks no input at its sign-in screen.')
  readonly blankScreens = noSwitch('Windows does not let the agent blank its sign-in screen.')
  onDisplaysChanged: () => void = () => undefined
  onCursorChanged: () => void = () => undefined
  onEnd: (reason: string) => void = () => undefined
  readonly #helper: SecureDesktop
  readonly #screens = new Set<Screen>()
  readonly #cursor: Cursor = { shape: pointerCursor.Unknown }
  readonly #looking: NodeJS.Timeout
  #displays: readonly Display[]
  #misses = 0

  private constructor(helper: SecureDesktop, displays: readonly Display[], input: WindowsInput) {
    this.#helper = helper
    this.#displays = displays
    this.input = input
    this.#looking = setInterval(() => void this.#look(), lookEveryMs).unref()
  }

  /** Rejects with a UserError. */
  static async open(askForHelper: () => Promise<string>): Promise<SignInDesktop> {
    const helper = new SecureDesktop(askForHelper)
    try {
      const displays = await helper.displays()
      const input = await WindowsInput.open(() => unionOf(desktop.displays().map(({ bounds }) => bounds)))
      input.redirect = (events) => helper.inject(events)
      const desktop = new SignInDesktop(helper, displays, input)
      return desktop
    } catch (error) {
      helper.close()
      throw error
    }
  }

  isSecureDesktop(): boolean {
    return true
  }

  displays(): readonly Display[] {
    return this.#displays
  }

  cursor(): Cursor {
    return this.#cursor
  }

  /** Middle of the primary display: Windows tells this process no position. */
  pointer(): Promise<{ x: number; y: number }> {
    const { bounds } = this.#displays.find(({ isPrimary }) => isPrimary) ?? this.#displays[0] ?? {}
    return Promise.resolve(
      bounds ? { x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 } : { x: 0, y: 0 },
    )
  }

  async openScreen(display: Display): Promise<Screen> {
    const screen = await GdiScreen.open(display, {
      reason: () => signingIn,
      capture: (area) => this.#helper.capture(area),
    })
    screen.onClose = () => this.#screens.delete(screen)
    this.#screens.add(screen)
    return screen
  }

  /** Shows nothing: there is no person to tell. */
  showNotice(): Notice {
    return { close: () => undefined }
  }

  close(): void {
    clearInterval(this.#looking)
    this.input.releaseAll()
    this.#helper.close()
    for (const screen of this.#screens) {
      screen.close()
    }
  }

  async #look() {
    try {
      const displays = await this.#helper.displays()
      this.#misses = 0
      if (JSON.stringify(displays) !== JSON.stringify(this.#displays)) {
        this.#displays = displays
        this.onDisplaysChanged()
      }
    } catch {
      this.#misses++
      if (this.#misses === missesUntilEnd) {
        this.onEnd(signedIn)
      }
    }
  }
}
