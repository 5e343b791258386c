import { app } from 'electron'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { system } from './system.ts'

/** Root folder of the program: the checkout, or the inside of the package. */
const programFolder = () => app.getAppPath()
const resource = (name: string) => path.join(programFolder(), 'resources', name)

/** Data folder of the server, separate from Chromium's data in the same user folder. */
export const dataFolder = () => path.join(app.getPath('userData'), 'data')
export const logFolder = () => path.join(app.getPath('userData'), 'logs')
export const preloadFile = () => path.join(programFolder(), 'dist', 'main', 'preload.cjs')
export const iconFile = () => resource('icons/icon.png')
export const trayIconFile = () => resource(`icons/${system.trayIcon}`)
/** Licenses of everything that is shipped: beside the archive of the package, which other programs cannot read. */
export const licensesFile = () =>
  app.isPackaged
    ? path.join(process.resourcesPath, 'licenses.txt')
    : path.join(programFolder(), 'dist', 'renderer', 'licenses.txt')
/** Page shown while no server is running. */
export const statusPage = () => pathToFileURL(resource('status/index.html')).href
