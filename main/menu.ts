import { app, Menu, type MenuItemConstructorOptions } from 'electron'
import type { Actions } from './actions.ts'
import { system } from './system.ts'

/** Sets the app menu. Editing and zoom are roles, so that their shortcuts work in every field. */
export function setMenu(actions: Actions, accounts: MenuItemConstructorOptions[] = []): void {
  const template: MenuItemConstructorOptions[] = [
    ...(system.hasAppMenu ? [{ role: 'appMenu' } as const] : []),
    {
      label: '&File',
      submenu: [
        { label: 'Open in Browser', click: actions.openInBrowser },
        { label: 'Open Data Folder', click: actions.openDataFolder },
        { label: 'Move Data Folder…', click: actions.moveDataFolder },
        { type: 'separator' },
        { label: 'Backup and Restore…', click: actions.openBackup },
        { type: 'separator' },
        { label: 'Restart Server', click: actions.restart },
        { type: 'separator' },
        system.hasAppMenu ? { role: 'close' } : { label: 'Quit', accelerator: 'Ctrl+Q', click: actions.quit },
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        { role: 'reload' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...(app.isPackaged ? [] : [{ role: 'toggleDevTools' } as const]),
      ],
    },
    { label: '&Accounts', enabled: accounts.length > 0, submenu: accounts },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        { label: 'Open Log Folder', click: actions.openLogFolder },
        { type: 'separator' },
        { label: 'About Farhand', click: actions.showAbout },
      ],
    },
  ]
  Menu.setApplicationMenu(Menu.buildFromTemplate(template))
}
