import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRoot, programFolders } from '../config.ts'

const chromiums = [
  'google-chrome-stable',
  'google-chrome',
  'chromium',
  'chromium-browser',
  'microsoft-edge-stable',
  'microsoft-edge',
  'brave-browser',
  'vivaldi-stable',
]

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

const findProgram = (name: string) =>
  programFolders.map((folder) => join(folder, name)).find((path) => existsSync(path))
const findFirst = (names: readonly string[]) => names.map(findProgram).find((path) => path !== undefined)

/** In pixels. */
export interface WindowSize {
  width: number
  height: number
}

export interface StartedBrowser {
  /** Called when it has ended, or could not be started; whether somebody may still look at the page. */
  onEnd: (mayStillShow: boolean) => void
  close(): void
}

/** Shows an address to the person at this desktop; undefined when there is no browser. */
export function startBrowser(address: string, size: WindowSize): StartedBrowser | undefined {
  const chromium = findFirst(chromiums)
  const opener = findProgram('xdg-open')
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
  spawn(program, args, { detached: true, stdio: 'ignore' })

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
  const end = (mayStillShow: boolean) => {
    if (!isOver) {
      isOver = true
      process.off('exit', remove)
      remove()
      browser.onEnd(mayStillShow)
    }
  }
  process.on('exit', remove)
  child.on('error', () => end(false))
  child.on('exit', (status) => end(isOpener && status === 0))
  return browser
}

function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL') {
  try {
    process.kill(-pid, signal)
  } catch {
    // It has just ended by itself.
  }
}
