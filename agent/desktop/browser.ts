import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CommandLine } from '../base/command-line.ts'
import { isRoot } from '../base/environment.ts'
import { platform } from '../platform/index.ts'
import { knowsUsersOfConnections } from './same-user.ts'

/** Arguments for an app window with a temporary profile and without network access except to our server. */
const appArguments = (address: string, profile: string, { width, height }: WindowSize) => [
  `--app=${address}`,
  `--user-data-dir=${profile}`,
  `--window-size=${width},${height}`,
  '--no-first-run',
  '--no-default-browser-check',
  '--no-service-autorun',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-sync',
  '--password-store=basic',
  // Chromium refuses to start as root otherwise; the window shows only our own page.
  ...(isRoot ? ['--no-sandbox', '--test-type'] : []),
]

/** Size in pixels. */
export interface WindowSize {
  width: number
  height: number
}

export interface StartedBrowser {
  /**
   * Called when the process ends or fails to start. Without a problem, an already running browser may show the page.
   */
  onEnd: (problem: string | undefined) => void
  close(): void
}

const install = 'Install Chromium, Chrome, Edge, Brave or Vivaldi on the device.'
export const noBrowser = `There is no browser on the device to show a window with. ${install}`
/** Also said where there is no browser: the opener of Windows reports success there, too. */
export const noWindow = `The browser of the device showed no window. ${install}`

/** Writes a private page that redirects to the address: every user can list a command line that holds the address. */
function privatePage(folder: string, address: string): string {
  const file = join(folder, 'open.html')
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${address}">`, { mode: 0o600 })
  return pathToFileURL(file).href
}

/**
 * Shows an address to the person at this desktop; undefined without a browser. The first reader of the address may
 * answer, so the address is never on a command line unless connections of other users are rejected.
 */
export function startBrowser(
  address: string,
  size: WindowSize,
  { chromiums, opener } = platform.desktops.browsers(),
  isKeptPrivate: boolean = !knowsUsersOfConnections,
): StartedBrowser | undefined {
  const chromium = chromiums.find((path) => existsSync(path))
  if (!chromium && opener === undefined) {
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), 'farhand-window-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  const shown = isKeptPrivate ? privatePage(folder, address) : address
  return chromium
    ? started(spawnBrowser([chromium, ...appArguments(shown, folder, size)]), false, removeFolder)
    : // A browser window that the opener started cannot be closed from here; the page itself reports the end.
      started(spawnBrowser([...opener!, shown]), true, removeFolder)
}

/** Spawns the browser in its own process group, so that all its processes can be terminated. */
const spawnBrowser = ([program, ...args]: CommandLine) =>
  spawn(program, args, { detached: platform.processes.hasGroups, stdio: 'ignore' })

function started(child: ChildProcess, isOpener: boolean, cleanUp: () => void): StartedBrowser {
  let isOver = false
  let isRemoved = false
  /** Terminates the browser's remaining processes first, because these would write the profile again. */
  const remove = () => {
    if (isRemoved) {
      return
    }
    isRemoved = true
    process.off('exit', remove)
    if (child.pid !== undefined && !isOpener) {
      platform.processes.signalGroup(child.pid, 'SIGKILL')
    }
    cleanUp()
  }
  const browser: StartedBrowser = {
    onEnd: () => {},
    close() {
      if (isOver) {
        remove()
      } else if (child.pid !== undefined) {
        platform.processes.signalGroup(child.pid, 'SIGTERM')
      }
    },
  }
  const end = (problem?: string) => {
    if (!isOver) {
      isOver = true
      if (problem) {
        remove()
      }
      browser.onEnd(problem)
    }
  }
  process.on('exit', remove)
  const endedAtOnce = 'The browser of the device ended at once.'
  child.on('error', () => end(endedAtOnce))
  child.on('exit', (status) => end(isOpener ? (status === 0 ? undefined : noBrowser) : endedAtOnce))
  return browser
}
