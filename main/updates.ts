import { app, shell } from 'electron'
import type { UpdateHost } from '../server/app.ts'
import { appImageHost } from './app-image.ts'
import { appImage } from './config.ts'

const extensions: Partial<Record<NodeJS.Platform, string>> = { win32: '.exe', darwin: '.dmg' }

/** The program of a package is replaced by the installer of its system, an AppImage by itself; undefined in a checkout. */
export function desktopHost(): UpdateHost {
  if (!app.isPackaged) {
    return undefined
  }
  if (appImage() !== undefined) {
    return appImageHost()
  }
  return {
    kind: 'desktop',
    installerExtension: extensions[process.platform] ?? '.deb',
    async openInstaller(file) {
      const problem = await shell.openPath(file)
      if (problem !== '') {
        throw new Error(`The installer ${file} could not be opened: ${problem}`)
      }
    },
  }
}
