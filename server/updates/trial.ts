import type { App } from '../call/call.ts'
import { pendingJournal } from './install.ts'
import { settleRuns } from './runs.ts'

const reportMs = 1_000

/**
 * While this version is on trial, tells its keeper every second how many devices are back, and records the outcome.
 * Returns a stop function.
 */
export function followTrial(app: App): () => void {
  const { updateHost: host, fleet, clock, log } = app
  const journal = pendingJournal(app)
  const isOnTrial = host !== undefined && journal?.step === 'trial' && journal.to.name === host.name
  if (!isOnTrial) {
    return () => {}
  }
  const isBack = (id: string) => (fleet.get(id)?.connectionId ?? '') !== ''
  const report = () => host.reportBack(journal.online.filter(isBack).length)
  report()
  const cancel = clock.every(reportMs, report)
  host.onSettled(() => {
    cancel()
    settleRuns(app).catch((error: unknown) =>
      log.error({ err: error }, 'The outcome of an update could not be recorded.'),
    )
  })
  return cancel
}
