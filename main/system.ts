import { app } from 'electron'
import path from 'node:path'
import { localAppData } from './config.ts'

/** Differences between operating systems; nothing else in main/ asks which system this is. */
interface System {
  trayIcon: string
  /** Whether desktops of this system may show no tray icons. */
  mayLackTray: boolean
  /** Whether the program has a menu of its own, which quits it. */
  hasAppMenu: boolean
  /** Whether Electron manages login items; desktops of Linux read an autostart file. */
  hasLoginItems: boolean
  /** Parent of the folder with the versions of this program. */
  versionsRoot(): string
  /**
   * Folder that an update replaces, and its name in packages; undefined where the program is one file or belongs to a
   * package manager.
   */
  replacedFolder(program: string): { entry: string; stored: string } | undefined
}

const linux: System = {
  trayIcon: 'tray.png',
  mayLackTray: true,
  hasAppMenu: false,
  hasLoginItems: false,
  versionsRoot: () => app.getPath('userData'),
  replacedFolder: () => undefined,
}

const macos: System = {
  trayIcon: 'trayTemplate.png',
  mayLackTray: false,
  hasAppMenu: true,
  hasLoginItems: true,
  versionsRoot: linux.versionsRoot,
  replacedFolder: (program) => ({ entry: path.resolve(program, '..', '..', '..'), stored: 'Farhand.app' }),
}

const windows: System = {
  trayIcon: 'tray.png',
  mayLackTray: false,
  hasAppMenu: false,
  hasLoginItems: true,
  // Outside of the roaming profile: versions are large.
  versionsRoot: () => path.join(localAppData(), app.getName()),
  replacedFolder: (program) => ({ entry: path.dirname(program), stored: 'Farhand' }),
}

const systems: Partial<Record<NodeJS.Platform, System>> = { darwin: macos, win32: windows }

export const systemName = process.platform
export const system: System = systems[systemName] ?? linux
