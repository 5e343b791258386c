import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, win32 } from 'node:path'
import { pathToFileURL } from 'node:url'
import { environment, isRoot, programFolders } from '../base/config.ts'
import { knowsUsersOfConnections } from './same-user.ts'

/** Chromiums by the names that systems have for them, best first, and what opens an address in any other browser. */
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

/** Where each system keeps programs that only an administrator replaces. */
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

/** Arguments that make a window of its own: nothing of the person's profile, and nobody is talked to but us. */
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
  // Chromium refuses to start for root otherwise; what it shows is ours alone.
  ...(isRoot ? ['--no-sandbox', '--test-type'] : []),
]

/** In pixels. */
export interface WindowSize {
  width: number
  height: number
}

export interface StartedBrowser {
  /** Called when the process ends or cannot start. Without a problem, a browser that runs already may show the page. */
  onEnd: (problem: string | undefined) => void
  close(): void
}

const install = 'Install Chromium, Chrome, Edge, Brave or Vivaldi on the device.'
export const noBrowser = `There is no browser on the device to show a window with. ${install}`

/** A page in a private folder that leads to an address: every user can list a command line that holds the address. */
function privatePage(folder: string, address: string): string {
  const file = join(folder, 'open.html')
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${address}">`, { mode: 0o600 })
  return pathToFileURL(file).href
}

/**
 * Shows an address to the person at this desktop; undefined when there is no browser. Unless connections of other users are
 * refused anyway, the address, whose first reader may answer, is on no command line.
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
    : // The window of a browser that somebody else started cannot be closed from here; the page says when it is over.
      started(spawnBrowser(opener!, [shown]), true, removeFolder)
}

/** A group of its own, so that all its processes can be ended. */
const spawnBrowser = (program: string, args: readonly string[]) =>
  spawn(program, args, { detached: process.platform !== 'win32', stdio: 'ignore' })

function started(child: ChildProcess, isOpener: boolean, cleanUp: () => void): StartedBrowser {
  let isOver = false
  let isRemoved = false
  /** Ends the rest of the browser first: its processes would write the profile again. */
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

/** Windows knows no groups; there the others of a browser end with its first process. */
function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL') {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // It has just ended by itself.
  }
}
