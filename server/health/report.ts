import { plural } from '../../shared/plural.ts'
import type { HealthState } from '../../shared/dtos/health-report.ts'
import type { App } from '../call/call.ts'
import { instant } from '../ground/instant.ts'
import { joinedServers } from './joined-servers.ts'
import { lastRuns } from './server-runs.ts'
import { backupChecks } from './backups.ts'
import { problem, type HealthCheck } from './check.ts'
import { networkChecks } from './network.ts'
import { peopleChecks } from './people.ts'
import { processChecks } from './process.ts'
import { serverClocks } from './server-clocks.ts'
import { storageChecks } from './storage.ts'

/** Rows of the report, in order. A new subject adds its checks here. */
const checks: readonly HealthCheck[] = [
  ...storageChecks,
  ...backupChecks,
  ...networkChecks,
  ...processChecks,
  ...peopleChecks,
]

/** Shown only while it is true. */
const decommission: HealthCheck = {
  id: 'decommission',
  title: 'Decommission',
  run: ({ fleet }) =>
    problem(
      `This server is being decommissioned: every agent that reports uninstalls itself. ${plural(fleet.size, 'device is', 'devices are')} left`,
      'If this is a mistake, end it on the Server page at once, or remove Service_ServerLifecycle__DecommissionServer.',
    ),
}

const weights: Record<HealthState, number> = { ok: 0, warning: 1, problem: 2 }

export const worst = (states: readonly HealthState[]): HealthState =>
  states.reduce<HealthState>((found, state) => (weights[state] > weights[found] ? state : found), 'ok')

type HealthReport = Awaited<ReturnType<typeof runChecks>>

/** Age up to which a report is shown again: start pages ask every half minute. */
const sharedMs = 25_000
const newest = new WeakMap<App, { at: number; report: Promise<HealthReport> }>()

/** Runs every check now. A check that fails is a problem of its own and hides no other. */
export function healthReport(app: App): Promise<HealthReport> {
  const made = { at: app.clock.now(), report: runChecks(app) }
  newest.set(app, made)
  made.report.catch(() => newest.get(app) === made && newest.delete(app))
  return made.report
}

/** The newest report, also one that is being made, or a new one: many start pages cost one report together. */
export function sharedReport(app: App): Promise<HealthReport> {
  const { at, report } = newest.get(app) ?? {}
  const age = app.clock.now() - (at ?? -Infinity)
  return report !== undefined && age >= 0 && age < sharedMs ? report : healthReport(app)
}

async function runChecks(app: App) {
  const rows = await Promise.all(
    [
      ...checks,
      ...(app.config.serverLifecycle.decommissionServer ? [decommission] : []),
      ...(app.config.cluster.redisUrl === undefined ? [] : [joinedServers, serverClocks]),
    ].map(async ({ id, title, run }) => {
      try {
        const { since, ...finding } = await run(app)
        return { id, title, ...finding, since: since === undefined ? null : instant(since) }
      } catch (error) {
        app.log.warn({ err: error, check: id }, 'A check of the health report failed.')
        const summary = `Could not be checked: ${(error as Error).message}`
        return { id, title, state: 'problem' as const, summary, advice: 'The log says more.', since: null }
      }
    }),
  )
  const [, before] = await lastRuns(app, 2)
  const isUnexpected = before?.ending === 'crashed' || before?.ending === 'vanished'
  return {
    at: new Date(app.clock.now()).toISOString(),
    version: app.version,
    startedAt: new Date(app.startedAt).toISOString(),
    state: worst(rows.map(({ state }) => state)),
    checks: rows,
    lastEnd: isUnexpected
      ? {
          ending: before.ending as 'crashed' | 'vanished',
          at: new Date(before.endedAt ?? before.aliveUntil).toISOString(),
          reason: before.reason,
        }
      : null,
  }
}
