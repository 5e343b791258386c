import { app, dialog, shell } from 'electron'
import { mkdirSync } from 'node:fs'
import { ConfigError, createApp, createLog, environment, loadConfig, StartError } from '../server/app.ts'
import { surviveLostOutput } from '../shared/standard-streams.ts'
import type { Actions } from './actions.ts'
import { createAppliance } from './appliance.ts'
import { registerChannels } from './ipc.ts'
import { openLink } from './links.ts'
import { openLogFile } from './log-file.ts'
import { setMenu } from './menu.ts'
import { dataFolder, logFolder } from './paths.ts'
import { openSettings } from './settings.ts'
import { hiddenFlag, setStartAtLogin, startsAtLogin } from './start-at-login.ts'
import { createTray } from './tray.ts'
import { createMainWindow } from './window.ts'

async function run(): Promise<void> {
  await app.whenReady()
  const settings = openSettings()
  const log = createLog('info', openLogFile(logFolder()))

  let folder = dataFolder()
  const create = () => {
    const config = loadConfig({
      env: environment(),
      defaults: { DataDirectory: dataFolder(), Urls: `http://127.0.0.1:${settings.read().port}` },
      workingDirectory: app.getPath('userData'),
    })
    for (const warning of config.warnings) {
      log.warn({}, warning)
    }
    folder = config.dataDirectory
    return createApp(config, { log })
  }
  const explain = (error: unknown): string => {
    if (error instanceof StartError || error instanceof ConfigError) {
      return error.message
    }
    log.error({ err: error }, 'The server could not start.')
    return `Something unexpected went wrong. The log says more: ${logFolder()}`
  }
  const appliance = createAppliance({
    create,
    explain,
    onChange(state) {
      showInTray(state)
      window.follow(state)
    },
  })
  const openDataFolder = async () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    await shell.openPath(folder)
  }
  const actions: Actions = {
    show: () => window.show(),
    openInBrowser: () => openLink(appliance.state().url ?? ''),
    openDataFolder: () => void openDataFolder(),
    openLogFolder: () => void shell.openPath(logFolder()),
    restart: () => void appliance.restart(),
    setStartAtLogin,
    quit: () => app.quit(),
  }
  const window = createMainWindow(settings, () => appliance.state().url, appliance.isOwnCertificate)
  const showInTray = createTray(actions, startsAtLogin)
  setMenu(actions)
  registerChannels(
    {
      getServerState: () => appliance.state(),
      retryStart: () => appliance.start(),
      openDataFolder,
      getDesktopInfo: () => ({ version: app.getVersion(), platform: process.platform, startAtLogin: startsAtLogin() }),
      setStartAtLogin,
    },
    (event) => window.isSender(event.senderFrame, event.sender),
  )

  app.on('second-instance', actions.show)
  app.on('activate', actions.show)
  let isStopped = false
  app.on('before-quit', (event) => {
    window.release()
    if (isStopped) {
      return
    }
    event.preventDefault()
    void appliance.stop().finally(() => {
      isStopped = true
      app.quit()
    })
  })
  if (!process.argv.includes(hiddenFlag)) {
    actions.show()
  }
  const { state } = await appliance.start()
  if (state === 'failed') {
    actions.show()
  }
}

surviveLostOutput(process.stdout, process.stderr)
// A second instance only focuses the window of the first.
if (app.requestSingleInstanceLock()) {
  app.enableSandbox()
  // Not awaited, because Electron becomes ready only after this module has been evaluated.
  run().catch((error: unknown) => {
    dialog.showErrorBox('Farhand could not start', error instanceof Error ? error.message : String(error))
    app.exit(1)
  })
} else {
  app.quit()
}
