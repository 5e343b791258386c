/**
 * Replaces the `electron` module, whose program cannot be installed everywhere. Records the shell's calls, and lets a
 * test simulate the operating system: events, IPC messages, permission requests.
 */
import { EventEmitter } from 'node:events'
import path from 'node:path'

type Handler = (event: unknown, payload: unknown) => Promise<unknown>
export interface MenuItem {
  label?: string
  type?: string
  role?: string
  enabled?: boolean
  checked?: boolean
  submenu?: MenuItem[]
  click?: (item: { checked: boolean }) => void
}

/** Set by the test before the shell is imported. */
export const machine = { folder: '', hasLock: true }

class App extends EventEmitter {
  isPackaged = false
  quits = 0
  isSandboxed = false
  loginItem: { openAtLogin: boolean } = { openAtLogin: false }
  requestSingleInstanceLock = () => machine.hasLock
  releaseSingleInstanceLock = () => {}
  whenReady = () => Promise.resolve()
  enableSandbox = () => void (this.isSandboxed = true)
  getAppPath = () => path.resolve(import.meta.dirname, '../..')
  getPath = (name: string) => path.join(machine.folder, name)
  getVersion = () => '0.1.0'
  getName = () => 'Farhand'
  getLoginItemSettings = () => this.loginItem
  setLoginItemSettings = (item: { openAtLogin: boolean }) => void (this.loginItem = item)
  /** Like Electron: every listener may prevent the quit, and the app ends only after all agreed. */
  quit = () => {
    let isPrevented = false
    this.emit('before-quit', { preventDefault: () => (isPrevented = true) })
    if (!isPrevented) {
      this.quits += 1
    }
  }
  exit = () => void (this.quits += 1)
  relaunches = 0
  relaunch = () => void (this.relaunches += 1)
  protocol = ''
  setAsDefaultProtocolClient = (scheme: string) => void (this.protocol = scheme)
}

class Session {
  answerPermission?: (contents: unknown, name: string, answer: (is: boolean) => void, details: object) => void
  checkPermission?: (contents: unknown, name: string, origin: string, details: object) => boolean
  setPermissionRequestHandler = (handler: Session['answerPermission']) => void (this.answerPermission = handler)
  setPermissionCheckHandler = (handler: Session['checkPermission']) => void (this.checkPermission = handler)
  setDevicePermissionHandler = () => {}
  verifyCertificate?: (request: object, answer: (verdict: number) => void) => void
  setCertificateVerifyProc = (handler: Session['verifyCertificate']) => void (this.verifyCertificate = handler)
}

class WebContents extends EventEmitter {
  session = new Session()
  open: (details: { url: string }) => { action: string } = () => ({ action: 'allow' })
  crashes = 0
  forcefullyCrashRenderer = () => void (this.crashes += 1)
  setWindowOpenHandler = (handler: WebContents['open']) => void (this.open = handler)
}

export class BrowserWindow extends EventEmitter {
  static all: BrowserWindow[] = []
  webContents = new WebContents()
  bounds: { x?: number; y?: number; width: number; height: number }
  loaded: string[] = []
  readonly options: { width: number; height: number; x?: number; y?: number; webPreferences: Record<string, unknown> }
  constructor(options: BrowserWindow['options']) {
    super()
    this.options = options
    this.bounds = {
      ...('x' in options && { x: options.x, y: options.y }),
      width: options.width,
      height: options.height,
    }
    BrowserWindow.all.push(this)
  }
  isShown = false
  isMinimizedNow = false
  show = () => void ((this.isShown = true), (this.isMinimizedNow = false))
  hide = () => void (this.isShown = false)
  minimize = () => void (this.isMinimizedNow = true)
  isVisible = () => this.isShown
  focus = () => {}
  restore = () => {}
  maximize = () => {}
  isMinimized = () => this.isMinimizedNow
  isMaximized = () => false
  getNormalBounds = () => this.bounds
  loadURL = (url: string) => Promise.resolve(void this.loaded.push(url))
  /** Simulates a click on the window's close button. */
  close = () => {
    let isPrevented = false
    this.emit('close', { preventDefault: () => (isPrevented = true) })
    return !isPrevented
  }
}

export class Tray extends EventEmitter {
  static all: Tray[] = []
  tip = ''
  menu: MenuItem[] = []
  constructor() {
    super()
    Tray.all.push(this)
  }
  setToolTip = (tip: string) => void (this.tip = tip)
  setContextMenu = (menu: { items: MenuItem[] }) => void (this.menu = menu.items)
}

export const app = new App()
export const opened: { links: string[]; folders: string[] } = { links: [], folders: [] }
export const shell = {
  openExternal: (url: string) => Promise.resolve(void opened.links.push(url)),
  openPath: (folder: string) => Promise.resolve((opened.folders.push(folder), '')),
}
const handlers = new Map<string, Handler>()
export const ipcMain = { handle: (name: string, handler: Handler) => void handlers.set(name, handler), on: () => {} }
/** Sends an IPC message like a page; `frame` is the sender's frame. */
export const invoke = (name: string, sender: unknown, frame: unknown, payload?: unknown) =>
  handlers.get(name)?.({ sender, senderFrame: frame }, payload) ?? Promise.reject(new Error(`no channel ${name}`))
export const channelNames = () => [...handlers.keys()]
export const Menu = {
  items: [] as MenuItem[],
  /** Menus that were opened at the pointer. */
  popups: [] as MenuItem[][],
  buildFromTemplate: (items: MenuItem[]) => ({ items, popup: () => void Menu.popups.push(items) }),
  setApplicationMenu: (menu: { items: MenuItem[] }) => void (Menu.items = menu.items),
}
export const dialog = {
  errors: [] as string[],
  /** Messages shown, and the buttons that a person presses, in order. */
  messages: [] as { message: string; detail?: string }[],
  presses: [] as number[],
  showMessageBox: (...given: (object | { message: string; detail?: string })[]) => {
    dialog.messages.push(given.at(-1) as { message: string; detail?: string })
    return Promise.resolve({ response: dialog.presses.shift() ?? 0 })
  },
  /** Folder that a person chooses. */
  folder: undefined as string | undefined,
  showOpenDialog: () =>
    Promise.resolve({
      canceled: dialog.folder === undefined,
      filePaths: dialog.folder === undefined ? [] : [dialog.folder],
    }),
  showErrorBox: (_title: string, text: string) => void dialog.errors.push(text),
}
export const powerMonitor = new EventEmitter()
export const powerSaveBlocker = {
  running: new Set<number>(),
  start: () => {
    const id = powerSaveBlocker.running.size + 1
    powerSaveBlocker.running.add(id)
    return id
  },
  stop: (id: number) => void powerSaveBlocker.running.delete(id),
}
export class Notification extends EventEmitter {
  static all: { title: string; body: string }[] = []
  static isSupported = () => true
  readonly options: { title: string; body: string }
  constructor(options: { title: string; body: string }) {
    super()
    this.options = options
  }
  show = () => void Notification.all.push(this.options)
}
export const nativeTheme = { shouldUseDarkColors: false }
export const screen = { getDisplayMatching: () => ({ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }) }
export const clipboard = { text: '', writeText: (text: string) => Promise.resolve(void (clipboard.text = text)) }

export default { app, ipcMain, shell }
