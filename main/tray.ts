import { clipboard, Menu, Tray } from 'electron'
import type { ServerState } from '../shared/ipc.ts'
import type { Actions } from './actions.ts'
import { trayIconFile } from './paths.ts'

const sentence = ({ state, url, problem, isService }: ServerState): string =>
  ({
    starting: 'Farhand is starting',
    running:
      problem !== null
        ? `Farhand cannot open its data: restore a backup at ${url}`
        : isService
          ? `The Farhand service is running at ${url}`
          : `Farhand is running at ${url}`,
    stopping: 'Farhand is stopping',
    stopped: 'Farhand has stopped',
    failed: isService ? 'The Farhand service does not answer' : 'Farhand could not start',
  })[state]

/** Creates the tray icon. The returned function updates its state. */
export function createTray(actions: Actions, startsAtLogin: () => boolean): (state: ServerState) => void {
  const tray = new Tray(trayIconFile())
  tray.on('click', actions.show)
  return (state) => {
    const { url } = state
    tray.setToolTip(sentence(state))
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: sentence(state), enabled: false },
        { type: 'separator' },
        { label: 'Open Farhand', click: actions.show },
        { label: 'Copy Address', enabled: url !== null, click: () => void clipboard.writeText(url ?? '') },
        {
          label: state.state === 'failed' ? 'Try Again' : 'Restart Server',
          enabled: !state.isService || state.state === 'failed',
          click: actions.restart,
        },
        { type: 'separator' },
        {
          label: 'Start at Login',
          type: 'checkbox',
          checked: startsAtLogin(),
          click: ({ checked }) => actions.setStartAtLogin(checked),
        },
        {
          label: 'Stay Awake During Sessions',
          type: 'checkbox',
          checked: actions.staysAwake(),
          click: ({ checked }) => actions.setStaysAwake(checked),
        },
        { label: state.isService ? 'Close Farhand' : 'Quit', click: actions.quit },
      ]),
    )
  }
}
