import { spawn } from 'node:child_process'
import type { StopReason } from '../shared/dtos/device-commands.ts'
import type { Options } from './config.ts'
import { systemClock, wait } from './clock.ts'
import { AgentConnection } from './connection.ts'
import { fileHandlers } from './capabilities/files.ts'
import { Commands } from './capabilities/commands.ts'
import { PartFiles } from './capabilities/files/parts.ts'
import { Desktops } from './capabilities/desktops.ts'
import { installerLogFolder, Updates } from './capabilities/update.ts'
import { changePower } from './capabilities/power.ts'
import { PwshCompletions } from './capabilities/pwsh-completions.ts'
import { Terminals } from './capabilities/terminal.ts'
import { Vnc } from './capabilities/vnc.ts'
import { wake } from './capabilities/wake.ts'
import { createFactsReader } from './facts.ts'
import { identityFrom } from './identity.ts'
import { createLog, logFile } from './log.ts'
import { pathsFor } from './paths.ts'
import { ensureRegistered } from './registration.ts'
import { describeDevice, Reporter } from './reporter.ts'
import { platform } from './platform/index.ts'
import { programArguments } from './install/service.ts'
import { loadPending, settlePending, type Settings } from './settings.ts'
import { claimFolder, stateWriter } from './state.ts'
import { accessTo } from './trust/access-to.ts'
import { keepInTouch, type InTouchPorts } from './trust/encounters.ts'
import { agentVersion } from './version.ts'

const announceMs = 1_000

const idsOf = ({ AppOptions }: Settings) => ({ deviceId: AppOptions.DeviceId, tenantId: AppOptions.TenantId })

/** Removes the installed agent from a process of its own, because this one is stopped on the way. */
function uninstallSelf(options: Options) {
  const [program, ...args] = programArguments('uninstall', options)
  spawn(program, args, { detached: true, stdio: 'ignore', windowsHide: true }).unref()
}

/** Serves in the foreground until a signal, or until the server asks to uninstall. */
export async function run(options: Options): Promise<void> {
  const paths = pathsFor(options)
  const readFacts = createFactsReader()
  const describe = async (settings: Settings) => describeDevice(idsOf(settings), await readFacts())
  const release = claimFolder(paths)
  try {
    const outputs = [
      (line: string) => void process.stdout.write(line),
      ...(options.asService ? [logFile(paths.logFolder)] : []),
    ]
    const log = createLog(outputs)
    const say = (sentence: string) => log.warn({}, sentence)
    const settings = await ensureRegistered(paths, options, describe, { always: false, say })
    const pending = loadPending(paths, settings)
    const { VncPorts: allowedPorts } = settings.AppOptions
    const access = accessTo(paths, settings, log)
    const setState = stateWriter(paths, access)
    const clock = systemClock

    const updates = new Updates({
      clock,
      log,
      paths,
      access,
      tenantId: settings.AppOptions.TenantId,
      instanceId: options.instanceId,
      dataDir: options.dataDir,
      isAutomaticOff: settings.Developer?.DisableAutoUpdate === true,
    })

    let isFirstAnswer = true
    const terminals: Terminals = new Terminals({
      clock,
      log,
      send: (viewer, output) => connection.server.SendTerminalOutputToViewer(viewer, output),
    })
    const reporter: Reporter = new Reporter({
      clock,
      log,
      readFacts,
      identity: identityFrom(settings.AppOptions.PrivateKey),
      pendingIdentity: pending && identityFrom(pending.AppOptions.PrivateKey),
      onProven: ({ privateKey }) => settlePending(paths, privateKey),
      ids: idsOf(settings),
      send: (update) => connection.server.UpdateDeviceSigned(update),
      onAnswer(refusal) {
        setState(refusal ? 'refused' : 'online', refusal)
        // Before the update is accepted the server does not know whose terminals these are.
        if (!refusal && isFirstAnswer) {
          isFirstAnswer = false
          terminals.resume()
          updates.connected()
          afterContact(connection)
        }
      },
    })
    const parts = new PartFiles(paths.partsFolder)
    const stopSweeping = parts.start(clock)
    const files = fileHandlers({
      parts,
      clock,
      log,
      server: () => connection.server,
      logFolders: [
        { groupName: 'Agent Logs', folder: paths.logFolder },
        { groupName: 'Installer Logs', folder: installerLogFolder(paths) },
      ],
    })
    const desktops = new Desktops({
      clock,
      log,
      server: () => connection.server,
      discover: () => platform.findDesktops(),
      relay: (websocketUri) => access.relay(websocketUri),
    })
    const vnc = new Vnc({ log, access, ...(allowedPorts && { allowedPorts }) })
    const commands = new Commands({ clock, log })
    const completions = new PwshCompletions()
    let loseTouch = () => {}
    const afterContact = (connected: AgentConnection) => {
      const tell: InTouchPorts['tell'] = (stranger) => connected.server.SendWrongIdentity(stranger)
      loseTouch = keepInTouch({ paths, clock, log, access, tell })
    }
    const connection: AgentConnection = new AgentConnection({
      access,
      clock,
      log,
      handlers: {
        CreateTerminalSession: (id, viewer) => terminals.create(id, viewer),
        ReceiveTerminalInput: (input) => terminals.input(input),
        CloseTerminalSession(id) {
          terminals.close(id)
          completions.forget(id)
        },
        GetPwshCompletions: (request) => completions.get(request),
        ...files,
        ...desktops.handlers,
        CreateVncSession: (request) => vnc.create(request),
        TestVncConnection: (port) => vnc.test(port),
        InvokeWakeDevice: ({ macAddresses }) => wake(macAddresses, { log }),
        ReceivePowerStateChange: (change) => changePower(change, { log }),
        ReceiveAgentUpdateTrigger: () => updates.check({ isForced: true }),
        RefreshDeviceInfo: () => reporter.report(),
        ReceiveDto: (message) => commands.receive(message),
        UninstallAgent(reason) {
          log.warn({ reason }, 'The server asked this agent to uninstall itself')
          uninstallSelf(options)
          void stop('Uninstall')
        },
      },
      onConnected() {
        log.info({ serverUri: access.origin }, 'Connected')
        isFirstAnswer = true
        reporter.start()
      },
      onDisconnected(reason) {
        log.warn({}, reason)
        loseTouch()
        reporter.pause()
        setState('connecting', reason)
      },
    })
    /** Tells the server why, if it is there and wants to know; leaving does not wait for it for long. */
    const announce = (reason: StopReason) =>
      Promise.race([connection.server.SendStopNotice(reason).catch(() => undefined), wait(clock, announceMs)])
    const stop = async (reason: StopReason) => {
      await announce(reason)
      stopSweeping()
      loseTouch()
      reporter.pause()
      updates.stop()
      terminals.closeAll()
      commands.endAll()
      desktops.stop()
      vnc.closeAll()
      await connection.stop()
    }
    const handleSignal = (signal: string) => {
      log.info({ signal }, 'Stopping')
      const asked: StopReason | Promise<StopReason> | undefined = updates.hasStarted
        ? 'Update'
        : platform.stopReason?.()
      void Promise.race([asked, wait(clock, announceMs)]).then((reason) => stop(reason ?? 'Stopped'))
    }
    process.once('SIGTERM', handleSignal).once('SIGINT', handleSignal)
    const { DeviceId: deviceId } = settings.AppOptions
    log.info({ version: agentVersion, deviceId, serverUri: access.origin }, 'Farhand agent started')
    setState('connecting')
    await connection.run()
  } finally {
    release()
  }
}
