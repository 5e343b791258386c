import { withoutData } from './backup/restore-only.ts'
import { installation } from './engines/process/installation.ts'
import { systemClock } from './ground/clock.ts'
import { clientError } from './ground/errors.ts'
import { DataError, StartError } from './ground/start-error.ts'
import { rescue } from './identity/rescue.ts'
import { announceToWindows } from './network/window-address.ts'
import { openApp, type Dependencies, type Opened, type OnStop, type Stop } from './open-app.ts'
import type { Config } from './settings/config.ts'
import type { ApplianceServer, RunningServer } from './surface/appliance-server.ts'
import { startTelemetry } from './surface/telemetry/start.ts'
import type { Telemetry } from './surface/telemetry/telemetry.ts'
import { mayStayWithoutData } from './updates/program-host.ts'

/** Time limit of a shutdown; components that have not stopped by then are abandoned. */
const stopLimitMs = 8_000

/** Time limit for sending what telemetry has queued, after everything else has stopped. */
const flushLimitMs = 1_500

/** Mounts what serves requests, and opens the ports. */
type Serve = (opened: Opened, onStop: OnStop) => Promise<RunningServer>

/** Explains a start that failed because nothing can be stored. */
function explained(error: unknown, { dataDirectory }: Config): unknown {
  if (error instanceof StartError || clientError(error)?.status !== 507) {
    return error
  }
  return new StartError(
    `The disk of the data folder ${dataDirectory} is full or cannot be written, so the server cannot start. ` +
      'Make room on that disk and start again; nothing was changed.',
    { cause: error },
  )
}

/** Starts a server without data, which offers to restore a backup. */
async function serveRestore(
  given: Config,
  deps: Dependencies,
  problem: string,
  { serve, onStop }: { serve: Serve; onStop: OnStop },
): Promise<RunningServer> {
  const { config, remove } = await withoutData(given)
  onStop(remove)
  const restoreOnly = { directory: given.dataDirectory, problem }
  return serve(await openApp(config, { ...deps, secretStore: 'file', restoreOnly }, onStop), onStop)
}

function notRunning(): never {
  throw new Error('The server is not running.')
}

/** Creates a server that `serve` composes, without starting anything. */
export function createServer(config: Config, deps: Dependencies, serve: Serve): ApplianceServer {
  const { log, clock = systemClock } = deps
  const stops: Stop[] = []
  const onStop = (stop: Stop) => void stops.push(stop)
  let opened: Opened | undefined
  let telemetry: Telemetry | undefined
  const stopAll = async () => {
    for (const stop of stops.splice(0).toReversed()) {
      try {
        await stop()
      } catch (error) {
        log.error({ err: error }, 'A part of the server did not stop cleanly.')
      }
    }
  }
  let starting: Promise<unknown> = Promise.resolve()
  const begin = async () => {
    try {
      telemetry = await startTelemetry(config, { log, version: installation.version })
      opened = await openApp(config, { ...deps, telemetry }, onStop)
      const { app } = opened
      telemetry?.watch(app, opened.hubServers)
      const running = await serve(opened, onStop)
      if (deps.announceIn !== undefined) {
        onStop(await announceToWindows(app, deps.announceIn))
      }
      log.info({ urls: running.urls, version: app.version, secretStore: app.secretStore }, 'The server is up.')
      return running
    } catch (error) {
      await stopAll()
      await telemetry?.stop(flushLimitMs)
      if (deps.offersRestore && error instanceof DataError && mayStayWithoutData(deps.updateHost)) {
        log.error({ err: error }, 'The data cannot be opened: this server offers to restore a backup.')
        return await serveRestore(config, deps, error.message, { serve, onStop }).catch(async (problem: unknown) => {
          log.error({ err: problem }, 'The page that restores a backup could not be served.')
          await stopAll()
          throw error
        })
      }
      throw explained(error, config)
    }
  }
  return {
    start: () => (starting = begin()),
    async stop(drainUntil) {
      if (opened && drainUntil) {
        await opened.joined?.drain.run(opened.hubServers, drainUntil)
      }
      let cancel = () => {}
      const limit = new Promise<void>((done) => (cancel = clock.after(stopLimitMs, done)))
      // The start ends first: parts that open after the stop would stay open.
      await Promise.race([starting.then(stopAll, stopAll), limit])
      cancel()
      log.info({}, 'The server has stopped.')
      await telemetry?.stop(flushLimitMs)
      telemetry = undefined
    },
    async rescue(request) {
      const { app } = opened ?? notRunning()
      return rescue(app, request)
    },
    sessionCount: () => [...(opened?.app.remoteSessions ?? [])].length,
    differences: async () => (await opened?.differences()) ?? [],
    data: () => (opened ?? notRunning()).app,
  }
}
