import { powerMonitor, powerSaveBlocker } from 'electron'
import type { Log } from '../server/app.ts'

/** Interval of asking for sessions: a session of a few seconds needs no blocker. */
const checkMs = 10_000

interface PowerDependencies {
  log: Log
  /** Number of remote sessions that run through this server. */
  sessions(): number
  /** Whether this person wants the computer to stay awake during sessions. */
  isWanted(): boolean
  /** Called after the computer slept. */
  resumed(): void
  /** Ends the app in order, because the system shuts down. */
  quit(): void
}

/**
 * Follows sleep and shutdown of the computer, and keeps it awake while remote sessions run: they would break off. The
 * screen may still turn off. Returns a function that ends this.
 */
export function followPower({ log, sessions, isWanted, resumed, quit }: PowerDependencies): () => void {
  let blocker: number | undefined
  const release = () => {
    if (blocker !== undefined) {
      powerSaveBlocker.stop(blocker)
      blocker = undefined
    }
  }
  const check = () => {
    if (!isWanted() || sessions() === 0) {
      release()
    } else {
      blocker ??= powerSaveBlocker.start('prevent-app-suspension')
    }
  }
  const timer = setInterval(check, checkMs)
  timer.unref()
  powerMonitor.on('suspend', () => log.info({}, 'This computer goes to sleep: devices lose their connection.'))
  powerMonitor.on('resume', () => {
    log.info({}, 'This computer woke up: devices reconnect within a minute.')
    resumed()
    check()
  })
  // Linux and macOS wait for the app that prevents this event; Windows tells its windows.
  const onShutdown = (event?: { preventDefault(): void }) => {
    event?.preventDefault()
    quit()
  }
  powerMonitor.on('shutdown', onShutdown)
  return () => {
    clearInterval(timer)
    release()
  }
}
