import type { Rectangle } from '../../desktop/desktop.ts'
import { common, reasonOf, type Handle } from '../library.ts'
import { libloaderapi } from '../win32/libloaderapi.ts'
import { wingdi } from '../win32/wingdi.ts'
import { winuser, type WindowMessage } from '../win32/winuser.ts'
import { UserError } from '../../../base/errors.ts'

const className = 'FarhandAgent'
const blackClassName = 'FarhandAgentBlack'
/** `BLACK_BRUSH` */
const blackBrush = 4
const popup = 0x8000_0000
/** `WS_EX_NOACTIVATE | WS_EX_TOOLWINDOW | WS_EX_TOPMOST | WS_EX_LAYERED`: takes no focus, and has no task bar button. */
const floating = 0x0800_0000 | 0x80 | 0x8 | 0x8_0000
/** `WS_EX_TRANSPARENT`: the pointer acts on the windows below. */
const clickedThrough = 0x20
const messageOnly = -3
const onTop = -1
/** `SWP_NOSIZE | SWP_NOMOVE | SWP_NOACTIVATE` */
const orderOnly = 0x1 | 0x2 | 0x10
const arrowCursor = 32_512
const removeMessage = 1
/** Delay until a message is dispatched. */
const dispatchEveryMs = 30

interface WindowKind {
  /** Name of the class. */
  name: string
  extended: number
  style: number
  parent: number
}

const kinds = {
  hidden: { name: className, extended: 0, style: 0, parent: messageOnly },
  floating: { name: className, extended: floating, style: popup, parent: 0 },
  cover: { name: blackClassName, extended: floating | clickedThrough, style: popup, parent: 0 },
} as const satisfies Record<string, WindowKind>

type Listener = (message: WindowMessage) => void

/**
 * Creates windows, and dispatches their messages while there are any: Node's event loop does not. All windows belong to
 * the main thread, so Windows closes them when this process ends for any reason.
 */
class ProcessWindows {
  readonly #api: Api
  readonly #listeners = new Map<Handle, Listener>()
  /** Windows above all others, the lowest first. */
  readonly #floating: Handle[] = []
  #dispatching: NodeJS.Timeout | undefined

  constructor(api: Api) {
    this.#api = api
  }

  /** Creates an invisible window that only receives messages. Throws a UserError. */
  createHidden(listener: Listener): Handle {
    return this.#create(kinds.hidden, { x: 0, y: 0, width: 0, height: 0 }, listener)
  }

  /** Creates a window above all others, not shown yet. Throws a UserError. */
  createFloating(bounds: Rectangle, listener: Listener): Handle {
    const window = this.#create(kinds.floating, bounds, listener)
    this.#floating.push(window)
    return window
  }

  /** Creates a black window above those of other programs and below our own, not shown yet. Throws a UserError. */
  createCover(bounds: Rectangle): Handle {
    const window = this.#create(kinds.cover, bounds, () => undefined)
    this.#floating.unshift(window)
    return window
  }

  /** Raises all floating windows above those of other programs, in their own order. */
  raise(): void {
    this.#floating.forEach((window) => this.#api.setWindowPos(window, onTop, 0, 0, 0, 0, orderOnly))
  }

  destroy(window: Handle): void {
    this.#listeners.delete(window)
    this.#floating.splice(0, Infinity, ...this.#floating.filter((other) => other !== window))
    this.#api.destroyWindow(window)
    if (this.#listeners.size === 0) {
      clearInterval(this.#dispatching)
      this.#dispatching = undefined
    }
  }

  #create({ name, extended, style, parent }: WindowKind, { x, y, width, height }: Rectangle, listener: Listener) {
    const { createWindow, lastError } = this.#api
    const window = createWindow(extended, name, '', style, x, y, width, height, parent, 0, 0, null)
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
  'createWindow' | 'destroyWindow' | 'setWindowPos' | 'peekMessage' | 'dispatchMessage'
> & { lastError: () => number }

async function loadApi(): Promise<Api> {
  const [{ lastError }, user, gdi, loader] = await Promise.all([common(), winuser(), wingdi(), libloaderapi()])
  // Windows itself handles all messages; ours are read before they are dispatched.
  const lpfnWndProc = loader.getProcAddress(loader.getModuleHandle('user32.dll'), 'DefWindowProcW')
  const description = { cbSize: user.sizes.windowClass, lpfnWndProc, hCursor: user.loadCursor(0, arrowCursor) }
  user.registerClass({ ...description, hbrBackground: 0, lpszClassName: className })
  user.registerClass({ ...description, hbrBackground: gdi.getStockObject(blackBrush), lpszClassName: blackClassName })
  return { ...user, lastError }
}

let windows: Promise<ProcessWindows> | undefined

export const processWindows = (): Promise<ProcessWindows> =>
  (windows ??= loadApi().then((api) => new ProcessWindows(api)))
export type { ProcessWindows }
