/** Environment variables of the shell. The server reads its own settings. */
import { app } from 'electron'
import path from 'node:path'

/** Path of the AppImage file; the process itself runs from a temporary mount. */
export const appImage = () => process.env['APPIMAGE']
/** Folder of Windows for data that does not follow its user to other computers. */
export const localAppData = () => process.env['LOCALAPPDATA'] ?? path.join(app.getPath('home'), 'AppData', 'Local')
/** Folder of dpkg's database, by the variable of dpkg. */
export const dpkgFolder = () => process.env['DPKG_ADMINDIR'] ?? '/var/lib/dpkg'
/** Folders with programs of the system. */
export const searchPath = () => (process.env['PATH'] ?? '').split(path.delimiter)
