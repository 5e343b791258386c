import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, win32 } from 'node:path'
import { pathToFileURL } from 'node:url'
import { environment, isRoot, programFolders } from '../base/config.ts'
import { knowsUsersOfConnections } from './same-user.ts'

/**
 * Chromium-based browsers of a system, in order of preference, and the command that opens an address in any other
 * browser.
 */
interface Browsers {
  chromiums: readonly string[]
  opener: string | undefined
}

const inProgramFolder = (name: string) =>
  programFolders.map((folder) => join(folder, name)).find((path) => existsSync(path))

const linuxNames = [
  'google-chrome-stable',
  'google-chrome',
  'chromium',
  'chromium-browser',
  'microsoft-edge-stable',
  'microsoft-edge',
  'brave-browser',
  'vivaldi-stable',
]
const windowsFiles = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
  'BraveSoftware\\Brave-Browser\\Application\\brave.exe',
]
const macNames = ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser', 'Vivaldi']

/** Program locations that only an administrator can change. */
const browsersOf: Partial<Record<NodeJS.Platform, () => Browsers>> = {
  win32: () => ({
    chromiums: [environment.programFiles, `${environment.programFiles} (x86)`].flatMap((folder) =>
      windowsFiles.map((file) => win32.join(folder, file)),
    ),
    opener: undefined,
  }),
  darwin: () => ({
    chromiums: macNames.map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
    opener: '/usr/bin/open',
  }),
}

const findBrowsers = (): Browsers =>
  browsersOf[process.platform]?.() ?? {
    chromiums: linuxNames.map(inProgramFolder).filter((path) => path !== undefined),
    opener: inProgramFolder('xdg-open'),
  }

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
  { chromiums, opener } = findBrowsers(),
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
    ? started(spawnBrowser(chromium, appArguments(shown, folder, size)), false, removeFolder)
    : // A browser window that the opener started cannot be closed from here; the page itself reports the end.
      started(spawnBrowser(opener!, [shown]), true, removeFolder)
}

/** Spawns the browser in its own process group, so that all its processes can be terminated. */
const spawnBrowser = (program: string, args: readonly string[]) =>
  spawn(program, args, { detached: process.platform !== 'win32', stdio: 'ignore' })

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
      killGroup(child.pid, 'SIGKILL')
    }
    cleanUp()
  }
  const browser: StartedBrowser = {
    onEnd: () => {},
    close() {
      if (isOver) {
        remove()
      } else if (child.pid !== undefined) {
        killGroup(child.pid, 'SIGTERM')
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

/**
 * Terminates the process group. Windows has no process groups; there child processes end with the browser's first
 * process.
 */
function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL') {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // The browser has already exited.
  }
}
