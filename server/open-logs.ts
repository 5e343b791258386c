import { AuditLog } from './audit/audit-log.ts'
import { recordReplacedLog } from './audit/replaced-log.ts'
import { lastMoveOfSecrets } from './backup/move-secrets.ts'
import { lastRestore } from './backup/stage-restore.ts'
import { removeScratch } from './backup/snapshot.ts'
import type { App } from './call/call.ts'
import type { Models } from './call/models.ts'
import type { Database } from './engines/database/database.ts'
import { EventLog } from './events/event-log.ts'
import { eventOfAudit, type Placed } from './events/from-audit.ts'
import { actorAtComputer, actorOf, readActor } from './ground/actor.ts'
import type { Clock } from './ground/clock.ts'
import type { Servers } from './health/servers.ts'
import type { RootLog } from './ground/log.ts'
import { closeRestoredRuns } from './health/server-runs.ts'
import { installation } from './engines/process/installation.ts'
import type { Sealer } from './engines/secrets/sealer.ts'

/** Records the restore or the move of secrets that this start follows, and removes what a killed backup left. */
async function recordReplacement(directory: string, app: Pick<App, 'audit' | 'database' | 'models'>): Promise<void> {
  const restored = await lastRestore(directory)
  if (restored) {
    const { createdAt, computer, aside } = restored
    const actor = readActor(restored.actor)
    await closeRestoredRuns(app)
    const event = { kind: 'server.restored', tenantId: null, details: { createdAt, computer } } as const
    await app.audit.record(actor, event)
    if (aside !== undefined) {
      await recordReplacedLog(app, actor, aside)
    }
    await restored.forget()
  }
  const moved = await lastMoveOfSecrets(directory)
  if (moved) {
    const place = moved.place === 'file' ? 'key file' : 'keychain'
    const event = { kind: 'server.secrets-moved', tenantId: null, details: { place } } as const
    await app.audit.record(actorAtComputer, event)
    await moved.forget()
  }
  await removeScratch(directory)
}

interface LogDependencies {
  directory: string
  database: Database
  models: Models
  sealer: Sealer
  servers: Servers
  clock: Clock
  log: RootLog
}

/** Opens the audit log and the events for programs that follow it, and records this start. */
export async function openLogs(
  { directory, database, models, sealer, servers, clock, log }: LogDependencies,
  onStop: (stop: () => Promise<void> | void) => void,
) {
  const events = new EventLog({ database, clock, log })
  const isFirst = servers.others.length === 0
  await events.open({ isFirst })
  const places: { of(deviceId: string): Placed | undefined } = { of: () => undefined }
  const audit = new AuditLog({
    directory,
    database,
    models,
    sealer,
    clock,
    log: log.child({ category: 'Audit' }),
    follow: (transaction, recorded) =>
      events.appendIn(
        transaction,
        recorded
          .map((event) => eventOfAudit(event, { placeOf: (id) => places.of(id), log }))
          .filter((event) => event !== undefined),
      ),
  })
  const itself = actorOf(undefined, null)
  await audit.begin(itself, installation.version, { isFirst })
  onStop(() => audit.end(itself))
  onStop(audit.start())
  await recordReplacement(directory, { audit, database, models })
  return { audit, events, places }
}
