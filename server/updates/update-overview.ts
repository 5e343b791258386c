import type { App } from '../call/call.ts'
import type { UpdateOverview } from './present.ts'
import { rolloutStates } from '../agents/rollout.ts'
import { noKeyProblem } from './read-release.ts'
import { offeredRelease, readUpdateState } from './check.ts'
import { pendingJournal, wayBack } from './install.ts'
import { lastUpdateRuns } from './runs.ts'

function runningUpdate(app: App): UpdateOverview['running'] {
  const journal = pendingJournal(app)
  if (journal && !app.updateProgress.current) {
    return { version: journal.to.version, step: 'trial', doneBytes: 0, totalBytes: 0 }
  }
  return app.updateProgress.current ?? null
}

/** Reads what the Server page shows of versions. */
export async function updateOverview(app: App): Promise<UpdateOverview> {
  const state = await readUpdateState(app)
  const { feed } = app.config.updates
  return {
    version: app.version,
    feed,
    problem: app.releaseTrust.length === 0 ? noKeyProblem : feed === undefined ? null : (state?.problem ?? null),
    state,
    offered: offeredRelease(app, state),
    running: runningUpdate(app),
    runs: await lastUpdateRuns(app),
    back: await wayBack(app),
    rollouts: await rolloutStates(app),
  }
}
