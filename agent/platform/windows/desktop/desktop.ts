import { UserError } from '../../../base/errors.ts'
import type { Cursor, Desktop, DesktopSwitch, Display, Notice, Screen } from '../../desktop/desktop.ts'
import type { DesktopConnector } from '../../platform.ts'
import { type Out, common, reasonOf } from '../library.ts'
import { SecureDesktop } from '../secure-desktop/client.ts'
import { localServiceSid, ownSid, isElevated } from '../users.ts'
import { processthreadsapi } from '../win32/processthreadsapi.ts'
import { winuser } from '../win32/winuser.ts'
import { blankObstacle, blankScreens } from './blank-screens.ts'
import { WindowsClipboard } from './clipboard.ts'
import { WindowsCursor } from './cursor.ts'
import { WindowsDisplays } from './displays.ts'
import { WindowsInput } from './input.ts'
import { showNotice } from './notice.ts'
import { GdiScreen } from './screen.ts'
import { SignInDesktop } from './sign-in.ts'
import { SharedState } from '../../desktop/switches.ts'

/**
 * Blocks the person's input in this session of Windows. Windows ends the block by itself when this process ends, and
 * when the person presses Ctrl+Alt+Del; only the thread that blocks can still inject keys, and Node has one.
 */
const inputBlock = new SharedState(async (isBlocked) => {
  const [{ lastError }, { blockInput }] = await Promise.all([common(), winuser()])
  if (!blockInput(isBlocked)) {
    throw new UserError(`Windows does not ${isBlocked ? 'block input' : 'end the block'}: ${reasonOf(lastError())}.`)
  }
})

/** Reason why this process cannot block input. */
const inputBlockObstacle = async (): Promise<string | undefined> =>
  (await isElevated())
    ? undefined
    : 'Windows lets only programs with the rights of an administrator block input, and this session has none.'

/** `DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2`: otherwise Windows reports scaled positions, sizes and pictures. */
const realPixels = -4
const switchDesktop = 0x100
const lookEveryMs = 500
const secure = 'Windows shows its secure desktop: the lock screen, or a question for the rights of an administrator.'
const notPermitted = 'It is shown in sessions of viewers who have the permission to control protected screens.'
const signInNotPermitted =
  'The sign-in screen is shown in sessions of viewers who have the permission to control protected screens.'
const onlyServices = 'Only an agent that runs as a Windows service reaches it; the person at the device has to answer.'

async function loadApi() {
  const api = await winuser()
  api.setProcessDpiAwarenessContext(realPixels)
  return api
}
type Api = Awaited<ReturnType<typeof loadApi>>

async function openParts() {
  const [displays, input, clipboard, cursor, blockObstacle] = await Promise.all([
    WindowsDisplays.open(),
    WindowsInput.open(),
    WindowsClipboard.open(),
    WindowsCursor.open(),
    inputBlockObstacle(),
  ])
  return { displays, input, clipboard, cursor, blockObstacle }
}
type Dependencies = Awaited<ReturnType<typeof openParts>>

/** Reason why programs do not see the screen at present. */
function hiddenBy({ openInputDesktop, closeDesktop }: Api): string | undefined {
  const desktop = openInputDesktop(0, false, switchDesktop)
  if (desktop === 0) {
    return secure
  }
  closeDesktop(desktop)
  return undefined
}

/** Desktop of the session that this process runs in. */
class WindowsDesktop implements Desktop {
  readonly captureMode = 'GDI'
  readonly spansDisplays = true
  readonly input: WindowsInput
  readonly clipboard: WindowsClipboard
  readonly blockInput: DesktopSwitch
  readonly blankScreens = blankScreens.newSwitch(blankObstacle())
  // Never called: at the end of the session Windows ends this process.
  onEnd: (reason: string) => void = () => undefined
  onSecureDesktop: () => void = () => undefined
  readonly #api: Api
  readonly #deps: Dependencies
  readonly #secure: SecureDesktop
  readonly #screens = new Set<Screen>()
  readonly #looking: NodeJS.Timeout
  #isSecure = false

  constructor(api: Api, deps: Dependencies, openSecureDesktop: () => Promise<string>) {
    this.#api = api
    this.#deps = deps
    this.#secure = new SecureDesktop(openSecureDesktop)
    this.#looking = setInterval(() => this.#look(), lookEveryMs).unref()
    this.#look()
    this.input = deps.input
    this.input.redirect = (events) => (hiddenBy(api) === undefined ? undefined : this.#secure.inject(events))
    this.clipboard = deps.clipboard
    this.blockInput = inputBlock.newSwitch(deps.blockObstacle)
  }

  set onDisplaysChanged(listener: () => void) {
    this.#deps.displays.onChange = listener
  }

  set onCursorChanged(listener: () => void) {
    this.#deps.cursor.onChange = listener
  }

  isSecureDesktop(): boolean {
    return this.#isSecure
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
    const screen = await GdiScreen.open(display, {
      reason: () => hiddenBy(this.#api),
      capture: (area) => this.#secure.capture(area),
    })
    screen.onClose = () => this.#screens.delete(screen)
    this.#screens.add(screen)
    return screen
  }

  showNotice(text: string, label: string, onEnd: () => void): Notice {
    const notices = this.displays().map((display) => showNotice(display, text, label, onEnd))
    return { close: () => notices.forEach((notice) => notice.close()) }
  }

  close(): void {
    this.input.releaseAll()
    for (const state of [this.blockInput, this.blankScreens]) {
      void state.set(false).catch(() => undefined)
    }
    clearInterval(this.#looking)
    this.#secure.close()
    this.clipboard.close()
    this.#deps.cursor.close()
    this.#deps.displays.close()
    for (const screen of this.#screens) {
      screen.close()
    }
  }

  /** Windows tells other processes nothing about its desktops. */
  #look() {
    const isSecure = hiddenBy(this.#api) !== undefined
    if (isSecure !== this.#isSecure) {
      this.#isSecure = isSecure
      if (isSecure) {
        // Whether the person got there with Ctrl+Alt+Del, which ends a block, or in another way, Windows does not tell.
        void inputBlock.stop('Windows shows its secure desktop, where input is not blocked.')
      }
      this.onSecureDesktop()
    }
  }
}

/** Whether the agent that started this process runs as a service, which can start the helper. */
const isOfService = async () => {
  const { processIdToSessionId } = await processthreadsapi()
  const session: Out<number> = [0]
  return processIdToSessionId(process.ppid, session) && session[0] === 0
}

/** Rejects with a UserError while the screen is hidden. */
async function requireVisible() {
  const problem = hiddenBy(await loadApi())
  if (problem !== undefined && !(await isOfService())) {
    throw new UserError(`${problem} ${onlyServices}`)
  }
}

/** Whether this process serves the sign-in screen, of which it sees nothing itself. */
const servesSignIn = async () => (await ownSid()) === localServiceSid

export const windowsConnector: DesktopConnector = {
  async open({ openSecureDesktop }) {
    if (await servesSignIn()) {
      return SignInDesktop.open(openSecureDesktop ?? (() => Promise.reject(new UserError(signInNotPermitted))))
    }
    const reason = (await isOfService()) ? notPermitted : onlyServices
    const open = openSecureDesktop ?? (() => Promise.reject(new UserError(reason)))
    return new WindowsDesktop(await loadApi(), await openParts(), open)
  },
  async check() {
    if (!(await servesSignIn())) {
      await requireVisible()
    }
  },
}
