import { app, dialog, shell } from 'electron'
import { licensesFile } from './paths.ts'

export async function showAbout(): Promise<void> {
  const { electron = '', chrome = '', node = '' } = process.versions as Partial<Record<string, string>>
  const { response } = await dialog.showMessageBox({
    type: 'info',
    message: `Farhand ${app.getVersion()}`,
    detail: [
      `Electron ${electron}, Chromium ${chrome}, Node ${node}`,
      'Farhand is free software under the MIT licence. It contains noVNC (MPL 2.0) and other free software; “Show Licences” opens their licences. Those of Electron and Chromium are beside the program.',
    ].join('\n\n'),
    buttons: ['Close', 'Show Licences'],
    defaultId: 0,
    cancelId: 0,
  })
  if (response === 1) {
    await shell.openPath(licensesFile())
  }
}
