import { app } from 'electron'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { startedProgram } from './desktop-update.ts'
import { system } from './system.ts'

/** Starts in the tray, without a window. */
export const hiddenFlag = '--hidden'

const autostartFile = () => path.join(app.getPath('appData'), 'autostart', 'farhand.desktop')

/** Quotes an argument of an Exec line by the desktop entry specification, which also doubles percent signs. */
const quoted = (text: string) => `"${text.replaceAll(/["`$\\]/g, String.raw`\$&`).replaceAll('%', '%%')}"`

function commandLine(): string {
  return [startedProgram(), ...(app.isPackaged ? [] : [app.getAppPath()]), hiddenFlag].map(quoted).join(' ')
}

export const startsAtLogin = (): boolean =>
  system.hasLoginItems
    ? app.getLoginItemSettings({ path: startedProgram(), args: [hiddenFlag] }).openAtLogin
    : existsSync(autostartFile())

export function setStartAtLogin(isWanted: boolean): void {
  if (system.hasLoginItems) {
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
