import { BrowserWindow, nativeTheme, screen } from 'electron'
import type { ServerState } from '../shared/ipc.ts'
import type { Log } from '../server/app.ts'
import { repairPages } from './broken-pages.ts'
import { offerContextMenu } from './context-menu.ts'
import { guardNavigation, guardPermissions, safePreferences, trustOwnServer } from './guards.ts'
import { isOurs } from './links.ts'
import { iconFile, preloadFile, statusPage } from './paths.ts'
import type { Settings, SettingsStore } from './settings.ts'

export interface MainWindow {
  show(): void
  isVisible(): boolean
  /** Opens a page of the server by its path, as soon as the server runs. */
  openPage(path: string): void
  /** Loads the page again if the server did not answer it, as after sleep. */
  refresh(): void
  /** Loads the page for a server state: the server's page, or the status page. */
  follow(state: ServerState): void
  /** Whether an IPC message comes from the top frame of this window, on a page of ours. */
  isSender(frame: { url: string; parent: unknown } | null, contents: unknown): boolean
  /** Lets the window close, because the app is quitting. */
  release(): void
}

/** Last window bounds, unless they are off screen since a display was disconnected. */
function visible(bounds: Settings['bounds']): Settings['bounds'] {
  const { x, y, width, height } = bounds
  if (x === undefined || y === undefined) {
    return bounds
  }
  const area = screen.getDisplayMatching({ x, y, width, height }).workArea
  const isSeen =
    x < area.x + area.width - 80 && x + width > area.x + 80 && y >= area.y - 20 && y < area.y + area.height - 40
  return isSeen ? bounds : { width, height }
}

const backgroundColor = () => (nativeTheme.shouldUseDarkColors ? '#15181c' : '#ffffff')

/** Maximum number of windows opened by pages, so that no page floods the desktop. */
const maxPageWindows = 20

/**
 * Opens pages of ours in their own windows. They share the main window's session, so they are signed in, but have no
 * preload script and no access to the shell.
 */
function pageOpener(ours: (address: string) => boolean): (address: string) => void {
  let open = 0
  const openPage = (address: string) => {
    if (open >= maxPageWindows) {
      return
    }
    open++
    const page = new BrowserWindow({
      width: 1180,
      height: 800,
      minWidth: 480,
      minHeight: 360,
      title: 'Farhand',
      icon: iconFile(),
      backgroundColor: backgroundColor(),
      webPreferences: safePreferences,
    })
    page.on('closed', () => open--)
    guardNavigation(page.webContents, ours, openPage)
    offerContextMenu(page.webContents)
    page.loadURL(address).catch(() => undefined)
  }
  return openPage
}

interface WindowDependencies {
  settings: SettingsStore
  log: Log
  serverUrl(): string | null
  isOwnCertificate(pem: string): Promise<boolean>
  /** Whether the desktop shows tray icons. */
  hasTray: boolean
  /** Called when the window hides for the first time. */
  onFirstHidden(): void
  /** Ends the app, because the person signs out. */
  quit(): void
}

/**
 * Closing hides the window while the tray can show it again; without a tray it is minimized. Returns a function that
 * lets the window close.
 */
function hideOnClose(window: BrowserWindow, { settings, hasTray, onFirstHidden, quit }: WindowDependencies) {
  let isReleased = false
  window.on('close', (event) => {
    settings.write({ bounds: window.getNormalBounds(), isMaximized: window.isMaximized() })
    if (isReleased) {
      return
    }
    event.preventDefault()
    if (!hasTray) {
      window.minimize()
      return
    }
    window.hide()
    if (!settings.read().hasHidden) {
      settings.write({ hasHidden: true })
      onFirstHidden()
    }
  })
  // Windows tells windows that it shuts down, and waits for those that prevent it.
  window.on('query-session-end', (event) => {
    event.preventDefault()
    quit()
  })
  return () => void (isReleased = true)
}

/**
 * Creates the hidden main window. Closing the window keeps the server running.
 */
export function createMainWindow(dependencies: WindowDependencies): MainWindow {
  const { settings, log, serverUrl, isOwnCertificate } = dependencies
  const { bounds, isMaximized } = settings.read()
  const window = new BrowserWindow({
    ...visible(bounds),
    minWidth: 480,
    minHeight: 360,
    show: false,
    title: 'Farhand',
    icon: iconFile(),
    backgroundColor: backgroundColor(),
    webPreferences: { ...safePreferences, preload: preloadFile() },
  })
  const ours = (address: string) => isOurs(address, serverUrl(), statusPage())
  const openPage = pageOpener(ours)
  guardNavigation(window.webContents, ours, openPage)
  guardPermissions(window.webContents.session, ours)
  trustOwnServer(window.webContents.session, serverUrl, isOwnCertificate)
  if (isMaximized) {
    window.maximize()
  }

  const released = hideOnClose(window, dependencies)
  offerContextMenu(window.webContents)
  /** Address that the window shows, or was asked to show. */
  let shown = statusPage()
  /** Page to open once the server runs. */
  let wanted: string | undefined
  const load = (address: string) => {
    shown = address
    // A load that the next one replaces rejects; a page that failed to load already shows its error.
    window.loadURL(address).catch(() => undefined)
  }
  repairPages(window, log, () => load(shown))
  let hasFailed = false
  window.webContents.on('did-fail-load', () => (hasFailed = true))
  window.webContents.on('did-finish-load', () => (hasFailed = false))
  return {
    isVisible: () => window.isVisible(),
    openPage(path) {
      const url = serverUrl()
      if (url === null) {
        wanted = path
      } else {
        load(url + path)
      }
    },
    refresh() {
      if (hasFailed) {
        load(shown)
      }
    },
    show() {
      if (window.isMinimized()) {
        window.restore()
      }
      window.show()
      window.focus()
    },
    follow({ state, url }) {
      if (state === 'stopping' || state === 'stopped') {
        return
      }
      const isRunning = state === 'running' && url !== null
      load(isRunning ? url + (wanted ?? '') : statusPage())
      if (isRunning) {
        wanted = undefined
      }
    },
    isSender: (frame, contents) =>
      contents === window.webContents && frame !== null && frame.parent === null && ours(frame.url),
    release: released,
  }
}
