import { dayMs, hourMs } from '../shared/durations.ts'
import { removeOldAlerts } from './alerts/alerts.ts'
import { systemCall, type App, type OpenCall } from './call/call.ts'
import { removeOldBatches } from './batches/batches.ts'
import { removeExpiredTokenFamilies } from './credentials/bearer.ts'
import { removeExpiredLogonTokens } from './credentials/logon-tokens.ts'
import { dropExpiredKeys, removeEndedCredentials } from './credentials/service-accounts.ts'
import { removeOldLoads } from './devices/load-recording.ts'
import { removeOldInstallerKeyUsages } from './agents/installer-keys.ts'
import { removeOldAuthorizationChangeLogs } from './rights/authorization-log.ts'
import { keepBackups } from './backup/schedule.ts'
import { checkIntegrityWeekly, storeRetentionClock } from './health/server-runs.ts'
import { followRollouts } from './agents/rollout.ts'
import { lookForUpdates } from './updates/check.ts'
import { keepAuditLog } from './audit/keep-audit-log.ts'
import { forgetUnusedChats } from './remote/chat.ts'
import { forgetUnusedTerminals } from './remote/terminals/terminals.ts'
import { removeInactiveExternalUsers } from './credentials/external-users.ts'
import { keepRecordings, reconcileFiles } from './recordings/retention.ts'
import { removeOldNotifications } from './notifications/deliveries.ts'
import { removeOldDeliveries } from './events/webhook-deliveries.ts'
import { rollUp } from './history/roll-up.ts'
import { removeOldConnections } from './devices/connections.ts'
import { removeExpiredTickets } from './credentials/used-tickets.ts'
import { removeOldWrongAnswers } from './identity/lockout.ts'
import { removeExpiredInvites } from './membership/invites.ts'

/** Idempotent work that runs at start and then on schedule. */
export interface Job {
  name: string
  everyMs: number
  /** Runs on each of several servers, because it is about the memory or the disk of one; others run on one server. */
  isOfEach?: true
  run(call: OpenCall): Promise<void>
}

const jobs: readonly Job[] = [
  { name: 'time of the retention', everyMs: hourMs, isOfEach: true, run: ({ app }) => storeRetentionClock(app) },
  { name: 'external users', everyMs: dayMs, run: removeInactiveExternalUsers },
  { name: 'installer key usages', everyMs: 8 * hourMs, run: removeOldInstallerKeyUsages },
  { name: 'authorization change logs', everyMs: dayMs, run: removeOldAuthorizationChangeLogs },
  { name: 'audit log', everyMs: dayMs, run: keepAuditLog },
  { name: 'events for programs', everyMs: hourMs, run: ({ app }) => app.events.removeOld(app.retentionClock.now()) },
  {
    name: 'events of unsteady devices',
    everyMs: hourMs,
    isOfEach: true,
    run: ({ app }) => Promise.resolve(app.events.tellLate()),
  },
  { name: 'backups', everyMs: 15 * 60_000, run: keepBackups },
  { name: 'batches', everyMs: dayMs, run: removeOldBatches },
  { name: 'history of devices', everyMs: 60_000, isOfEach: true, run: rollUp },
  { name: 'connections of devices', everyMs: dayMs, run: removeOldConnections },
  { name: 'loads of devices', everyMs: hourMs, run: removeOldLoads },
  { name: 'database file', everyMs: 5 * 60_000, isOfEach: true, run: ({ app }) => app.database.checkpoint() },
  { name: 'chats', everyMs: 5 * 60_000, isOfEach: true, run: forgetUnusedChats },
  { name: 'terminals', everyMs: 5 * 60_000, isOfEach: true, run: forgetUnusedTerminals },
  { name: 'logon tokens', everyMs: hourMs, run: removeExpiredLogonTokens },
  { name: 'keys of service accounts', everyMs: dayMs, run: removeEndedCredentials },
  { name: 'expired keys in memory', everyMs: hourMs, isOfEach: true, run: dropExpiredKeys },
  { name: 'token families', everyMs: hourMs, run: removeExpiredTokenFamilies },
  { name: 'notifications', everyMs: hourMs, run: removeOldNotifications },
  { name: 'deliveries of webhooks', everyMs: hourMs, run: removeOldDeliveries },
  { name: 'alerts', everyMs: dayMs, run: removeOldAlerts },
  { name: 'releases', everyMs: 6 * hourMs, run: lookForUpdates },
  { name: 'rollout of agents', everyMs: 30_000, run: followRollouts },
  { name: 'invites', everyMs: hourMs, run: removeExpiredInvites },
  { name: 'used tickets', everyMs: hourMs, run: removeExpiredTickets },
  { name: 'wrong answers', everyMs: dayMs, run: removeOldWrongAnswers },
  { name: 'recordings', everyMs: 10 * 60_000, run: keepRecordings },
  { name: 'files of recordings', everyMs: 10 * 60_000, isOfEach: true, run: reconcileFiles },
  { name: 'disk space', everyMs: 60_000, isOfEach: true, run: ({ app }) => app.diskSpace.watch() },
  { name: 'integrity of the database', everyMs: 6 * hourMs, run: checkIntegrityWeekly },
]

/** Jobs of each server, and those of the server that works for all. */
export const jobsOfEach = jobs.filter(({ isOfEach }) => isOfEach)
export const sharedJobs = jobs.filter(({ isOfEach }) => !isOfEach)

/**
 * Runs every job now and periodically, skipping a job that is still running. Returns a function that stops the schedule
 * and awaits running jobs.
 */
export function startJobs(app: App, schedule: readonly Job[]): () => Promise<void> {
  const running = new Map<Job, Promise<void>>()
  const run = (job: Job) => {
    if (running.has(job)) {
      return
    }
    const work = Promise.resolve()
      .then(() => job.run(systemCall(app)))
      .then(() => app.log.debug({ job: job.name }, 'A job is done.'))
      .catch((error: unknown) => app.log.error({ err: error, job: job.name }, 'A job failed; it runs again later.'))
      .finally(() => running.delete(job))
    running.set(job, work)
  }
  const cancels = schedule.map((job) => {
    run(job)
    return app.clock.every(job.everyMs, () => run(job))
  })
  return async () => {
    cancels.forEach((cancel) => cancel())
    await Promise.all(running.values())
  }
}
