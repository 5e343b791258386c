import { app, dialog, shell } from 'electron'
import { mkdirSync } from 'node:fs'
import {
  ConfigError,
  createApp,
  createLog,
  endOnFatalErrors,
  environment,
  isCommandName,
  loadConfig,
  openLogFile,
  returnMemory,
  runCommand,
  StartError,
  type CommandName,
} from '../server/app.ts'
import { surviveLostOutput } from '../shared/standard-streams.ts'
import { accountItems } from './accounts.ts'
import type { Actions } from './actions.ts'
import { createAppliance } from './appliance.ts'
import { askToMoveDataFolder, dataFolderOf } from './data-folder.ts'
import { registerChannels } from './ipc.ts'
import { openLink } from './links.ts'
import { setMenu } from './menu.ts'
import { logFolder } from './paths.ts'
import { relaunchAfterCrash } from './relaunch.ts'
import { openSettings } from './settings.ts'
import { hiddenFlag, setStartAtLogin, startsAtLogin } from './start-at-login.ts'
import { createTray } from './tray.ts'
import { desktopHost } from './updates.ts'
import { createMainWindow } from './window.ts'

/** Loads the configuration with the defaults of the desktop. */
const readConfig = (port: number, folder: string) =>
  loadConfig({
    env: environment(),
    defaults: { DataDirectory: folder, Urls: `http://127.0.0.1:${port}` },
    workingDirectory: app.getPath('userData'),
  })

async function run(): Promise<void> {
  await app.whenReady()
  const settings = openSettings()
  const logFile = openLogFile(logFolder())
  const log = createLog({ default: 'Information' }, logFile)

  let folder = dataFolderOf(settings)
  let isFolderNamed = false
  const create = () => {
    const config = readConfig(settings.read().port, dataFolderOf(settings))
    for (const warning of config.warnings) {
      log.warn({}, warning)
    }
    folder = config.dataDirectory
    isFolderNamed = config.sources.get('DataDirectory') !== 'default'
    return createApp(config, {
      log: createLog(config.logging.logLevel, logFile),
      logFile,
      restart: () => void appliance.restart(),
      updateHost: desktopHost(),
    })
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
      void showAccounts()
    },
  })
  endOnFatalErrors({
    log,
    dataDirectory: () => folder,
    stop: () => appliance.stop(),
    exit: () => relaunchAfterCrash(settings),
  })
  const openDataFolder = async () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    await shell.openPath(folder)
  }
  const actions: Actions = {
    show: () => window.show(),
    openInBrowser: () => openLink(appliance.state().url ?? ''),
    openDataFolder: () => void openDataFolder(),
    moveDataFolder: () =>
      void askToMoveDataFolder({
        from: folder,
        isNamedElsewhere: isFolderNamed,
        settings,
        log,
        stop: appliance.stop,
        start: appliance.start,
      }),
    openBackup: () => window.open('/backup'),
    openLogFolder: () => void shell.openPath(logFolder()),
    restart: () => void appliance.restart(),
    setStartAtLogin,
    quit: () => app.quit(),
  }
  const window = createMainWindow(settings, () => appliance.state().url, appliance.isOwnCertificate)
  const showInTray = createTray(actions, startsAtLogin)
  const showAccounts = async () => setMenu(actions, await accountItems((request) => appliance.rescue(request)))
  setMenu(actions)
  // Accounts may have changed since the window was last used.
  app.on('browser-window-focus', () => void showAccounts())
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
  returnMemory()
  if (state === 'failed') {
    actions.show()
  }
}

/** Runs a command such as `farhand account …` without a window; works beside a running one. */
async function runHere(command: readonly [CommandName, ...string[]]): Promise<number> {
  try {
    const folder = dataFolderOf(openSettings())
    return await runCommand(command, {
      say: (line) => process.stdout.write(`${line}\n`),
      loadConfig: () => readConfig(0, folder),
    })
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

/** The command among the arguments of this process. */
function commandOf([, ...words]: readonly string[]): [CommandName, ...string[]] | undefined {
  const at = words.findIndex(isCommandName)
  const name = words[at]
  return name !== undefined && isCommandName(name) ? [name, ...words.slice(at + 1)] : undefined
}

surviveLostOutput(process.stdout, process.stderr)
const command = commandOf(process.argv)
if (command) {
  void runHere(command).then((status) => app.exit(status))
  // A second instance only focuses the window of the first.
} else if (app.requestSingleInstanceLock()) {
  app.enableSandbox()
  // Not awaited, because Electron becomes ready only after this module has been evaluated.
  run().catch((error: unknown) => {
    dialog.showErrorBox('Farhand could not start', error instanceof Error ? error.message : String(error))
    app.exit(1)
  })
} else {
  app.quit()
}
