import { app } from 'electron'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { appImage } from './config.ts'

/** Starts in the tray, without opening the window. */
export const hiddenFlag = '--hidden'

// Electron knows the login items of Windows and macOS; on Linux it is a file that every desktop reads.
const autostartFile = () => path.join(app.getPath('appData'), 'autostart', 'farhand.desktop')

/** One argument of an Exec line: the desktop entry specification quotes these and doubles a percent sign. */
const quoted = (text: string) => `"${text.replaceAll(/["`$\\]/g, String.raw`\$&`).replaceAll('%', '%%')}"`

function commandLine(): string {
  const program = appImage() ?? process.execPath
  return [program, ...(app.isPackaged ? [] : [app.getAppPath()]), hiddenFlag].map(quoted).join(' ')
}

export const startsAtLogin = (): boolean =>
  process.platform === 'linux'
    ? existsSync(autostartFile())
    : app.getLoginItemSettings({ args: [hiddenFlag] }).openAtLogin

export function setStartAtLogin(isWanted: boolean): void {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: isWanted, args: [hiddenFlag] })
    return
  }
  const file = autostartFile()
  if (!isWanted) {
    rmSync(file, { force: true })
    return
  }
  mkdirSync(path.dirname(file), { recursive: true })
  const lines = [
    '[Desktop Entry]',
    'Type=Application',
    `Name=${app.getName()}`,
    `Exec=${commandLine()}`,
    'Terminal=false',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
}
