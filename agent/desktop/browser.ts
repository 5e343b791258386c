import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, win32 } from 'node:path'
import { environment, isRoot, programFolders } from '../config.ts'

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

/** Shows an address to the person at this desktop; undefined when there is no browser. */
export function startBrowser(
  address: string,
  size: WindowSize,
  { chromiums, opener } = findBrowsers(),
): StartedBrowser | undefined {
  const chromium = chromiums.find((path) => existsSync(path))
  if (chromium) {
    const profile = mkdtempSync(join(tmpdir(), 'farhand-window-'))
    const removeProfile = () => rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    return started(spawnBrowser(chromium, appArguments(address, profile, size)), false, removeProfile)
  }
  // The window of a browser that somebody else started cannot be closed from here; the page says when it is over.
  return opener === undefined ? undefined : started(spawnBrowser(opener, [address]), true, () => {})
}

/** A group of its own, so that all its processes can be ended. */
const spawnBrowser = (program: string, args: readonly string[]) =>
  spawn(program, args, { detached: process.platform !== 'win32', stdio: 'ignore' })

function started(child: ChildProcess, isOpener: boolean, cleanUp: () => void): StartedBrowser {
  let isOver = false
  const browser: StartedBrowser = {
    onEnd: () => {},
    close() {
      if (!isOver && child.pid !== undefined) {
        killGroup(child.pid, 'SIGTERM')
      }
    },
  }
  /** What is left of it would write its profile again. */
  const remove = () => {
    if (child.pid !== undefined && !isOpener) {
      killGroup(child.pid, 'SIGKILL')
    }
    cleanUp()
  }
  const end = (problem?: string) => {
    if (!isOver) {
      isOver = true
      process.off('exit', remove)
      remove()
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
