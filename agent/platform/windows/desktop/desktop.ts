import { UserError } from '../../../base/errors.ts'
import type { Cursor, Desktop, Display, Notice, Screen } from '../../desktop/desktop.ts'
import type { DesktopConnector } from '../../platform.ts'
import { winuser } from '../win32/winuser.ts'
import { WindowsClipboard } from './clipboard.ts'
import { WindowsCursor } from './cursor.ts'
import { WindowsDisplays } from './displays.ts'
import { WindowsInput } from './input.ts'
import { showNotice } from './notice.ts'
import { GdiScreen } from './screen.ts'

/** `DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2`: otherwise Windows reports scaled positions, sizes and pictures. */
const realPixels = -4
const switchDesktop = 0x100
const secureDesktop =
  'Windows shows its secure desktop: the lock screen, or a question for the rights of an administrator. No program sees ' +
  'it; the person at the device has to answer.'

async function loadApi() {
  const api = await winuser()
  api.setProcessDpiAwarenessContext(realPixels)
  return api
}
type Api = Awaited<ReturnType<typeof loadApi>>

async function openParts() {
  const [displays, input, clipboard, cursor] = await Promise.all([
    WindowsDisplays.open(),
    WindowsInput.open(),
    WindowsClipboard.open(),
    WindowsCursor.open(),
  ])
  return { displays, input, clipboard, cursor }
}
type Dependencies = Awaited<ReturnType<typeof openParts>>

/** Reason why programs do not see the screen at present. */
function hiddenBy({ openInputDesktop, closeDesktop }: Api): string | undefined {
  const desktop = openInputDesktop(0, false, switchDesktop)
  if (desktop === 0) {
    return secureDesktop
  }
  closeDesktop(desktop)
  return undefined
}

/** Desktop of the session that this process runs in. */
class WindowsDesktop implements Desktop {
  readonly captureMode = 'GDI'
  readonly input: WindowsInput
  readonly clipboard: WindowsClipboard
  // Never called: at the end of the session Windows ends this process.
  onEnd: (reason: string) => void = () => undefined
  readonly #api: Api
  readonly #deps: Dependencies
  readonly #screens = new Set<Screen>()

  constructor(api: Api, deps: Dependencies) {
    this.#api = api
    this.#deps = deps
    this.input = deps.input
    this.clipboard = deps.clipboard
  }

  set onDisplaysChanged(listener: () => void) {
    this.#deps.displays.onChange = listener
  }

  get onDisplaysChanged() {
    return this.#deps.displays.onChange
  }

  set onCursorChanged(listener: () => void) {
    this.#deps.cursor.onChange = listener
  }

  get onCursorChanged() {
    return this.#deps.cursor.onChange
  }

  displays(): readonly Display[] {
    return this.#deps.displays.list()
  }

  cursor(): Cursor {
    return this.#deps.cursor.current
  }

  pointer(): Promise<{ x: number; y: number }> {
    return Promise.resolve(this.#deps.cursor.position)
  }

  async openScreen(display: Display): Promise<Screen> {
    const screen = await GdiScreen.open(display, () => hiddenBy(this.#api))
    screen.onClose = () => this.#screens.delete(screen)
    this.#screens.add(screen)
    return screen
  }

  showNotice(text: string, label: string, onEnd: () => void): Notice {
    const displays = this.displays()
    const display = displays.find(({ isPrimary }) => isPrimary) ?? displays[0]
    return display ? showNotice(display, text, label, onEnd) : { close() {} }
  }

  /** Windows lets only elevated programs block input; Ctrl+Alt+Del ends the block. */
  blockInput(isBlocked: boolean): Promise<boolean> {
    return Promise.resolve(inputBlock.set(this.#api, this, isBlocked))
  }

  close(): void {
    this.input.releaseAll()
    inputBlock.set(this.#api, this, false)
    this.clipboard.close()
    this.#deps.cursor.close()
    this.#deps.displays.close()
    for (const screen of this.#screens) {
      screen.close()
    }
  }
}

/** Input is blocked while any desktop object of this process wants so: Windows has one state per session. */
const inputBlock = {
  holders: new Set<WindowsDesktop>(),
  /** Returns the resulting state. */
  set({ blockInput }: Api, holder: WindowsDesktop, isBlocked: boolean): boolean {
    const { holders } = this
    if (isBlocked && (holders.size > 0 || blockInput(true))) {
      holders.add(holder)
    } else if (!isBlocked && holders.delete(holder) && holders.size === 0) {
      blockInput(false)
    }
    return holders.has(holder)
  },
}

/** Rejects with a UserError while the screen is hidden. */
async function requireVisible() {
  const problem = hiddenBy(await loadApi())
  if (problem !== undefined) {
    throw new UserError(problem)
  }
}

export const windowsConnector: DesktopConnector = {
  open: async () => new WindowsDesktop(await loadApi(), await openParts()),
  check: requireVisible,
}
