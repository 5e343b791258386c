import { app, shell } from 'electron'
import { chmod } from 'node:fs/promises'
import type { UpdateHost } from '../server/app.ts'
import { appImage } from './config.ts'

const extensions: Partial<Record<NodeJS.Platform, string>> = { win32: '.exe', darwin: '.dmg' }

/** The desktop program is replaced by the installer of its system; undefined in a checkout. */
export const desktopHost = (): UpdateHost =>
  app.isPackaged
    ? {
        kind: 'desktop',
        installerExtension: extensions[process.platform] ?? (appImage() === undefined ? '.deb' : '.AppImage'),
        async openInstaller(file) {
          if (file.endsWith('.AppImage')) {
            // The program is that file itself: a person puts the new one in its place.
            await chmod(file, 0o755)
            shell.showItemInFolder(file)
            return
          }
          const problem = await shell.openPath(file)
          if (problem !== '') {
            throw new Error(`The installer ${file} could not be opened: ${problem}`)
          }
        },
      }
    : undefined
