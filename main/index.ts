import { app, shell } from 'electron'
import { setTimeout as wait } from 'node:timers/promises'
import {
  ConfigError,
  createApp,
  createLog,
  endOnFatalErrors,
  environment,
  isCommandName,
  loadConfig,
  openLogFile,
  placeFlag,
  placeProgram,
  runProgram,
  StartError,
  type Log,
} from '../server/app.ts'
import { surviveLostOutput } from '../shared/standard-streams.ts'
import { showAbout } from './about.ts'
import { accountItems } from './accounts.ts'
import type { Actions } from './actions.ts'
import { createAppliance, type Appliance } from './appliance.ts'
import { askToMoveDataFolder, dataFolderOf, showDataFolder } from './data-folder.ts'
import { desktopHost, isUpdatePending, keepFlag, keepUpdate, reportStart, startedProgram } from './desktop-update.ts'
import { commandArguments, pageInArguments, pageOfLink, scheme } from './device-links.ts'
import { registerChannels } from './ipc.ts'
import { openLink } from './links.ts'
import { setMenu } from './menu.ts'
import { notify } from './notify.ts'
import { logFolder } from './paths.ts'
import { followPower } from './power.ts'
import { relaunchAfterCrash } from './relaunch.ts'
import { otherServer } from './other-server.ts'
import { openSettings, type SettingsStore } from './settings.ts'
import { hiddenFlag, setStartAtLogin, startsAtLogin } from './start-at-login.ts'
import { createTray } from './tray.ts'
import { systemName } from './system.ts'
import { hasTray } from './tray-support.ts'
import { createMainWindow } from './window.ts'

/** Defaults of the desktop, for the window and for commands of the packaged program. */
const desktopDefaults = (settings: SettingsStore) => ({
  defaults: { DataDirectory: dataFolderOf(settings), Urls: `http://127.0.0.1:${settings.read().port}` },
  workingDirectory: app.getPath('userData'),
})

/** Message for a failed start; errors that are no state of this machine are logged. */
function explain(error: unknown, log: Log): string {
  if (error instanceof StartError || error instanceof ConfigError) {
    return error.message
  }
  log.error({ err: error }, 'The server could not start.')
  return `Something unexpected went wrong. The log says more: ${logFolder()}`
}

function answerPage(
  window: ReturnType<typeof createMainWindow>,
  appliance: Appliance,
  openDataFolder: () => Promise<void>,
): void {
  registerChannels(
    {
      getServerState: () => appliance.state(),
      retryStart: () => appliance.start(),
      openDataFolder,
      getDesktopInfo: () => ({ version: app.getVersion(), platform: systemName, startAtLogin: startsAtLogin() }),
      setStartAtLogin,
    },
    (event) => window.isSender(event.senderFrame, event.sender),
  )
}

interface Program {
  window: ReturnType<typeof createMainWindow>
  appliance: Appliance
  actions: Actions
  log: Log
  /** Stops watching for errors that nobody caught. */
  release(): void
}

/** Follows what the system asks of the program: links, sleep, shutdown and the end. */
function followSystem({ window, appliance, actions, log, release }: Program): void {
  followLinks(window)
  app.on('activate', actions.show)
  const stopPower = followPower({
    log,
    sessions: appliance.sessions,
    isWanted: actions.staysAwake,
    resumed: () => window.refresh(),
    quit: actions.quit,
  })
  quitInOrder(appliance.stop, () => {
    window.release()
    stopPower()
    release()
  })
}

async function run(): Promise<void> {
  await app.whenReady()
  const settings = openSettings()
  const logFile = openLogFile(logFolder())
  const log = createLog({ default: 'Information' }, logFile)

  let folder = dataFolderOf(settings)
  let isFolderNamed = false
  const readConfig = () => {
    const config = loadConfig({ env: environment(), ...desktopDefaults(settings) })
    folder = config.dataDirectory
    isFolderNamed = config.sources.get('DataDirectory') !== 'default'
    return config
  }
  const create = () => {
    const config = readConfig()
    for (const warning of config.warnings) {
      log.warn({}, warning)
    }
    const hasDatabaseDetails = config.appOptions.enableDatabaseDetailedErrors
    return createApp(config, {
      log: createLog(config.logging.logLevel, logFile, { hasDatabaseDetails }),
      logFile,
      restart: () => void appliance.restart(),
      offersRestore: true,
      updateHost: desktopHost(),
    })
  }
  const appliance = createAppliance({
    create,
    explain: (error) => explain(error, log),
    other: otherServer(() => readConfig().dataDirectory),
    onChange(state) {
      showInTray(state)
      window.follow(state)
      void showAccounts()
      // A service may start later than a window that starts with the session.
      if (state.problem !== null && !state.isService && !window.isVisible()) {
        notify('Farhand could not start', state.problem ?? '', actions.show)
      }
    },
  })
  const release = endOnFatalErrors({
    log,
    dataDirectory: () => folder,
    stop: () => appliance.stop(),
    exit: () => relaunchAfterCrash(settings),
  })
  const openDataFolder = () => showDataFolder(folder, appliance.state())
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
    openBackup: () => window.openPage('/backup'),
    openLogFolder: () => void shell.openPath(logFolder()),
    restart: () => void appliance.restart(),
    setStartAtLogin,
    staysAwake: () => settings.read().staysAwake,
    setStaysAwake: (isWanted) => settings.write({ staysAwake: isWanted }),
    showAbout: () => void showAbout(),
    quit: () => app.quit(),
  }
  const window = createMainWindow({
    settings,
    log,
    serverUrl: () => appliance.state().url,
    isOwnCertificate: appliance.isOwnCertificate,
    hasTray: await hasTray(),
    onFirstHidden: () =>
      notify('Farhand is still running', 'Devices stay connected. Open or quit it from the tray.', actions.show),
    quit: actions.quit,
  })
  const showInTray = createTray(actions, startsAtLogin)
  const showAccounts = async () => setMenu(actions, await accountItems((request) => appliance.rescue(request)))
  setMenu(actions)
  // Accounts may have changed since the window was last used.
  app.on('browser-window-focus', () => void showAccounts())
  answerPage(window, appliance, openDataFolder)
  followSystem({ window, appliance, actions, log, release })
  if (!process.argv.includes(hiddenFlag)) {
    actions.show()
  }
  const started = await appliance.start()
  reportStart(started)
  if (started.problem !== null) {
    actions.show()
  }
}

/** Opens the page that a link of the system names, and the window for every other start. */
function followLinks(window: ReturnType<typeof createMainWindow>): void {
  // Named, because a new version may run from a copy until its next start.
  app.setAsDefaultProtocolClient(scheme, startedProgram())
  const open = (page: string | undefined) => {
    window.show()
    if (page !== undefined) {
      window.openPage(page)
    }
  }
  // A keeper that waits for this process to end also arrives as a second instance.
  app.on('second-instance', (_event, argv) => argv.includes(keepFlag) || open(pageInArguments(argv)))
  app.on('open-url', (event, link) => {
    event.preventDefault()
    open(pageOfLink(link))
  })
  const first = pageInArguments(process.argv)
  if (first !== undefined) {
    window.openPage(first)
  }
}

/** Stops the server before the process ends. */
function quitInOrder(stop: () => Promise<void>, before: () => void): void {
  let isStopped = false
  app.on('before-quit', (event) => {
    before()
    if (isStopped) {
      return
    }
    event.preventDefault()
    void stop().finally(() => {
      isStopped = true
      app.quit()
    })
  })
}

surviveLostOutput(process.stdout, process.stderr)
// A command, or a server without a window.
const argv = commandArguments(process.argv)
const placeAt = argv.indexOf(placeFlag)
const commandAt = argv.findIndex((word, at) => at > 0 && (word === '--headless' || isCommandName(word)))
if (placeAt > 0) {
  const [from = '', to = ''] = argv.slice(placeAt + 1)
  placeProgram(from, to).then(
    () => app.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
      app.exit(1)
    },
  )
} else if (commandAt !== -1) {
  // Chromium's own options, such as those without a display, follow ours.
  const args = argv.slice(commandAt).filter((word) => !/^--(ozone-platform|disable-gpu|no-sandbox)/.test(word))
  void runProgram(args, desktopDefaults(openSettings())).then((isServing) => {
    if (!isServing) {
      app.exit(Number(process.exitCode ?? 0))
    }
  })
} else if (isUpdatePending()) {
  void keepUpdate(createLog({ default: 'Information' }, openLogFile(logFolder())), async (problem) => {
    await app.whenReady()
    notify('Farhand could not finish an update', problem, () => {})
    // The system takes the notification over before the process ends.
    await wait(1_000)
  })
  // A second instance only focuses the window of the first.
} else if (app.requestSingleInstanceLock()) {
  app.enableSandbox()
  // Not awaited, because Electron becomes ready only after this module has been evaluated.
  run().catch((error: unknown) => {
    // No dialog: it would wait for a person, and nobody may be there.
    process.stderr.write(`Farhand could not start: ${error instanceof Error ? error.message : String(error)}\n`)
    notify('Farhand could not start', error instanceof Error ? error.message : String(error), () => {})
    app.exit(1)
  })
} else {
  app.quit()
}
