import type { StopReason } from '../shared/dtos/device-commands.ts'
import type { WrongIdentityDto } from '../shared/server-identity.ts'
import { randomUUID } from 'node:crypto'
import type { EnrollAnew } from '../shared/dtos/enroll-anew.ts'
import { bestEffort } from './base/best-effort.ts'
import { createCapabilities } from './capabilities/index.ts'
import { systemClock, wait, type Clock } from './base/clock.ts'
import type { Options } from './base/arguments.ts'
import { AgentConnection } from './link/connection.ts'
import { createFactsReader } from './device/facts.ts'
import { identityFrom } from './trust/identity.ts'
import { createLog, type Log } from './base/log.ts'
import { logFile } from './device/log-file.ts'
import { pathsFor } from './platform/paths.ts'
import { ensureRegistered } from './link/registration.ts'
import { describeDevice, Reporter } from './device/reporter.ts'
import { platform } from './platform/index.ts'
import { programArguments } from './install/service.ts'
import { loadPending, settlePending, type Settings } from './trust/settings.ts'
import { claimFolder, stateWriter } from './device/state.ts'
import { accessTo } from './trust/access-to.ts'
import { keepInTouch } from './trust/encounters.ts'
import { agentVersion } from './base/version.ts'
import { startTelemetry } from './telemetry/start.ts'
import type { AgentTelemetry } from './telemetry/telemetry.ts'

const announceMs = 1_000

/** Time limit for sending what telemetry has queued at the end. */
const flushLimitMs = 2_000

const idsOf = ({ AppOptions }: Settings) => ({ deviceId: AppOptions.DeviceId, tenantId: AppOptions.TenantId })

/**
 * Returns the reason of a signal for the server: an update, or the system's reason if reported within the time limit.
 */
async function reasonOfSignal(isUpdating: boolean, clock: Clock): Promise<StopReason> {
  const reason: StopReason | Promise<StopReason> | undefined = isUpdating ? 'Update' : platform.stopReason?.()
  return (await Promise.race([reason, wait(clock, announceMs)])) ?? 'Stopped'
}

/** Starts the uninstaller in a process that outlives this one, because the uninstaller stops this process. */
function uninstallSelf(options: Options, log: Log, stop: () => Promise<void>): void {
  platform.processes
    .startOutliving(programArguments('uninstall', options))
    .then(stop, (error: unknown) => log.error({ error }, 'The uninstaller did not start'))
}

function onStopSignal(log: Log, handle: () => void): void {
  const handleSignal = (signal: string) => {
    log.info({ signal }, 'Stopping')
    handle()
  }
  process.once('SIGTERM', handleSignal).once('SIGINT', handleSignal)
}

/** Serves in the foreground until a signal, or until the server requests uninstallation. */
export async function run(options: Options): Promise<void> {
  const { deviceId: _, ...later } = options
  if (options.asService) {
    await platform.answerServiceManager?.()
    // Without it the agent works as well: the entry is not used again.
    platform.tidyStart?.().catch(() => {})
  }
  let isAgain = await serve(options)
  while (isAgain) {
    isAgain = await serve(later)
  }
}

/** Serves until the connection is stopped. Returns true if this machine was enrolled anew and serves again. */
async function serve(options: Options): Promise<boolean> {
  const paths = pathsFor(options)
  const readFacts = createFactsReader()
  const describe = async (settings: Settings) => describeDevice(idsOf(settings), await readFacts())
  const release = claimFolder(paths)
  let telemetry: AgentTelemetry | undefined
  try {
    const outputs = [
      (line: string) => void process.stdout.write(line),
      ...(options.asService ? [logFile(paths.logFolder)] : []),
    ]
    const log = createLog(outputs)
    const say = (sentence: string) => log.warn({}, sentence)
    const settings = await ensureRegistered(paths, options, describe, { always: false, say })
    const { DeviceId: deviceId } = settings.AppOptions
    telemetry = await startTelemetry(settings, { log, version: agentVersion, deviceId })
    const pending = loadPending(paths, settings)
    const access = accessTo(paths, settings, log)
    const setState = stateWriter(paths, access)
    const clock = systemClock

    let isFirstAnswer = true
    let isEnrolledAnew = false
    let loseTouch = () => {}
    const reporter: Reporter = new Reporter({
      clock,
      log,
      readFacts,
      identity: identityFrom(settings.AppOptions.PrivateKey),
      pendingIdentity: pending && identityFrom(pending.AppOptions.PrivateKey),
      onProven: ({ privateKey }) => bestEffort(() => settlePending(paths, privateKey)),
      ids: idsOf(settings),
      send: (update) => connection.server.UpdateDeviceSigned(update),
      onSessionChange: platform.onSessionChange,
      onAnswer(refusal) {
        setState(refusal ? 'refused' : 'online', refusal)
        if (!refusal && isFirstAnswer) {
          isFirstAnswer = false
          capabilities.resume()
          const tell = (stranger: WrongIdentityDto) => connection.server.SendWrongIdentity(stranger)
          loseTouch = keepInTouch({ paths, clock, log, access, tell })
        }
      },
    })
    const capabilities = createCapabilities({
      clock,
      log,
      options,
      paths,
      settings,
      access,
      server: () => connection.server,
      report: () => reporter.report(),
      enrollAnew: (key) =>
        void enrollAnew(key).catch((error: unknown) => log.error({ error }, 'Enrolling as a new device failed')),
      uninstall: () => uninstallSelf(options, log, () => stop('Uninstall')),
    })
    const enrollAnew = async (key: EnrollAnew) => {
      const asNewDevice = { ...options, ...key, deviceId: randomUUID() }
      await ensureRegistered(paths, asNewDevice, describe, { always: true, say })
      isEnrolledAnew = true
      await stop('Stopped')
    }
    const connection: AgentConnection = new AgentConnection({
      access,
      clock,
      log,
      handlers: telemetry?.traced(capabilities.handlers) ?? capabilities.handlers,
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

    const stop = async (reason: StopReason) => {
      // Send the reason to the server if connected; the shutdown waits for a short time only.
      const sent = connection.server.SendStopNotice(reason).catch(() => undefined)
      await Promise.race([sent, wait(clock, announceMs)])
      loseTouch()
      reporter.pause()
      capabilities.stop()
      await connection.stop()
    }
    onStopSignal(log, () => void reasonOfSignal(capabilities.isUpdating(), clock).then(stop))
    log.info({ version: agentVersion, deviceId, serverUri: access.origin }, 'Farhand agent started')
    setState('connecting')
    await connection.run()
    return isEnrolledAnew
  } finally {
    await telemetry?.stop(flushLimitMs)
    release()
  }
}
