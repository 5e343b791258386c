import { app } from 'electron'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { startedProgram } from './desktop-update.ts'

/** Starts in the tray, without a window. */
export const hiddenFlag = '--hidden'

// Electron handles login items on Windows and macOS; Linux desktops read an autostart file.
const autostartFile = () => path.join(app.getPath('appData'), 'autostart', 'farhand.desktop')

/** Quotes an argument of an Exec line by the desktop entry specification, which also doubles percent signs. */
const quoted = (text: string) => `"${text.replaceAll(/["`$\\]/g, String.raw`\$&`).replaceAll('%', '%%')}"`

function commandLine(): string {
  return [startedProgram(), ...(app.isPackaged ? [] : [app.getAppPath()]), hiddenFlag].map(quoted).join(' ')
}

export const startsAtLogin = (): boolean =>
  process.platform === 'linux'
    ? existsSync(autostartFile())
    : app.getLoginItemSettings({ path: startedProgram(), args: [hiddenFlag] }).openAtLogin

export function setStartAtLogin(isWanted: boolean): void {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: isWanted, path: startedProgram(), args: [hiddenFlag] })
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
    // Desktops ignore this file once the program is gone: the uninstaller does not search the folders of users.
    `TryExec=${startedProgram()}`,
    'Terminal=false',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
}
