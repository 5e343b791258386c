import type { Rectangle } from '../../desktop/desktop.ts'
import { common, reasonOf, type Handle } from '../library.ts'
import { libloaderapi } from '../win32/libloaderapi.ts'
import { winuser, type WindowMessage } from '../win32/winuser.ts'
import { UserError } from '../../../base/errors.ts'

const className = 'FarhandAgent'
const popup = 0x8000_0000
/** `WS_EX_NOACTIVATE | WS_EX_TOOLWINDOW | WS_EX_TOPMOST | WS_EX_LAYERED`: takes no focus, and has no task bar button. */
const floating = 0x0800_0000 | 0x80 | 0x8 | 0x8_0000
const messageOnly = -3
const arrowCursor = 32_512
const removeMessage = 1
/** Delay until a message is dispatched. */
const dispatchEveryMs = 30

type Listener = (message: WindowMessage) => void

/**
 * Creates windows, and dispatches their messages while there are any: Node's event loop does not. All windows belong to
 * the main thread, so Windows closes them when this process ends for any reason.
 */
class ProcessWindows {
  readonly #api: Api
  readonly #listeners = new Map<Handle, Listener>()
  #dispatching: NodeJS.Timeout | undefined

  constructor(api: Api) {
    this.#api = api
  }

  /** Creates an invisible window that only receives messages. Throws a UserError. */
  createHidden(listener: Listener): Handle {
    return this.#create(0, 0, { x: 0, y: 0, width: 0, height: 0 }, messageOnly, listener)
  }

  /** Creates a window above all others, not shown yet. Throws a UserError. */
  createFloating(bounds: Rectangle, listener: Listener): Handle {
    return this.#create(floating, popup, bounds, 0, listener)
  }

  destroy(window: Handle): void {
    this.#listeners.delete(window)
    this.#api.destroyWindow(window)
    if (this.#listeners.size === 0) {
      clearInterval(this.#dispatching)
      this.#dispatching = undefined
    }
  }

  #create(extended: number, style: number, { x, y, width, height }: Rectangle, parent: Handle, listener: Listener) {
    const { createWindow, lastError } = this.#api
    const window = createWindow(extended, className, '', style, x, y, width, height, parent, 0, 0, null)
    if (window === 0) {
      throw new UserError(`Windows did not create a window: ${reasonOf(lastError())}.`)
    }
    this.#listeners.set(window, listener)
    this.#dispatching ??= setInterval(() => this.#dispatch(), dispatchEveryMs).unref()
    return window
  }

  #dispatch() {
    const message: Partial<WindowMessage> = {}
    while (this.#api.peekMessage(message, 0, 0, 0, removeMessage)) {
      this.#listeners.get(message.hwnd ?? 0)?.(message as WindowMessage)
      this.#api.dispatchMessage(message)
    }
  }
}

type Api = Pick<
  Awaited<ReturnType<typeof winuser>>,
  'createWindow' | 'destroyWindow' | 'peekMessage' | 'dispatchMessage'
> & { lastError: () => number }

async function loadApi(): Promise<Api> {
  const [{ lastError }, user, loader] = await Promise.all([common(), winuser(), libloaderapi()])
  // Windows itself handles all messages; ours are read before they are dispatched.
  const lpfnWndProc = loader.getProcAddress(loader.getModuleHandle('user32.dll'), 'DefWindowProcW')
  user.registerClass({
    cbSize: user.sizes.windowClass,
    lpfnWndProc,
    hCursor: user.loadCursor(0, arrowCursor),
    hbrBackground: 0,
    lpszClassName: className,
  })
  return { ...user, lastError }
}

let windows: Promise<ProcessWindows> | undefined

/** Windows of this process. */
export const processWindows = (): Promise<ProcessWindows> =>
  (windows ??= loadApi().then((api) => new ProcessWindows(api)))
export type { ProcessWindows }
