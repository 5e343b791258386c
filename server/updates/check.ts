import {
  compareVersions,
  mostReleaseBytes,
  releaseFileName,
  ReleaseStatement,
  type ReleaseFile,
} from '../../shared/release.ts'
import type { App, OpenCall } from '../call/call.ts'
import { conflict } from '../ground/errors.ts'
import type { OfferedRelease } from './present.ts'
import type { UpdateStateRow } from './tables.ts'
import { packageSystem } from '../ground/system.ts'
import { openFeed } from './feed.ts'
import { hostProblem } from './program-host.ts'
import { UpdateProblem } from './update-problem.ts'
import { readRelease } from './read-release.ts'

export const readUpdateState = ({ models }: App): Promise<UpdateStateRow | null> =>
  models.UpdateState.findByPk('server')

const sentenceOf = (app: App, error: unknown): string => {
  if (error instanceof UpdateProblem) {
    return error.message
  }
  app.log.error({ err: error }, 'The feed of releases could not be read.')
  return 'The feed could not be read. The log of the server says why.'
}

async function look(app: App, feed: string): Promise<void> {
  const { clock, models, database, releaseTrust } = app
  const before = await readUpdateState(app)
  const newestSeen = before?.newestSignedAt ?? 0
  const trust = { keys: releaseTrust, now: clock.now(), newestSeen }
  const row: UpdateStateRow = {
    id: 'server',
    newestSignedAt: newestSeen,
    release: before?.release ?? null,
    checkedAt: clock.now(),
    problem: null,
  }
  try {
    const release = await readRelease(await openFeed(feed, clock).read(releaseFileName, mostReleaseBytes), trust)
    row.newestSignedAt = release.signedAt
    row.release = JSON.stringify(release)
    if (compareVersions(release.version, app.version) > 0 && release.signedAt > newestSeen) {
      app.log.info({ version: release.version }, 'A new version of Farhand is offered.')
    }
  } catch (error) {
    row.problem = sentenceOf(app, error)
    app.log.warn({ reason: row.problem }, 'The check for a new version failed.')
  }
  await database.uncheckedWrites(() => database.write((transaction) => models.UpdateState.upsert(row, { transaction })))
}

/** Looks at the feed; what was found is stored. Throws 409 without a feed. */
export async function checkForUpdates({ app }: Pick<OpenCall, 'app'>): Promise<void> {
  const { feed } = app.config.updates
  if (feed === undefined) {
    throw conflict('No feed is set. Enter the address of a feed in the section Version of the Server page.')
  }
  await app.updateProgress.checks.run(() => look(app, feed))
}

/** Job: looks at the feed where one is set. */
export async function lookForUpdates(call: OpenCall): Promise<void> {
  if (call.app.config.updates.feed !== undefined) {
    await checkForUpdates(call)
  }
}

function problemOf(app: App, release: ReleaseStatement, file: ReleaseFile | undefined): string | null {
  if (compareVersions(app.version, release.minimumVersion) < 0) {
    return `Version ${release.version} cannot follow ${app.version} directly. Install ${release.minimumVersion} first.`
  }
  return hostProblem(app.updateHost) ?? (file ? null : `The release has no package for this system (${packageSystem}).`)
}

/** Newer release that the feed showed at the last look; null if there is none, or if it has expired since. */
export function offeredRelease(app: App, state: UpdateStateRow | null): OfferedRelease | null {
  const release = state?.release ? ReleaseStatement.parse(JSON.parse(state.release)) : undefined
  if (!release || app.config.updates.feed === undefined || release.expiresAt <= app.clock.now()) {
    return null
  }
  if (compareVersions(release.version, app.version) <= 0) {
    return null
  }
  const end = app.updateHost?.desktop?.packageEnding
  const kind = end === undefined ? 'server' : 'desktop'
  const file = release.files.find(
    (each) => each.kind === kind && each.platform === packageSystem && each.path.endsWith(end ?? ''),
  )
  return { release, file, problem: problemOf(app, release, file) }
}
