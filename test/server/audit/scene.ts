import { onTestFinished } from 'vitest'
import { actorOf } from '../../../server/ground/actor.ts'
import { AuditLog } from '../../../server/audit/audit-log.ts'
import { HeadNote } from '../../../server/audit/head-note.ts'
import { verifyChain } from '../../../server/audit/verify.ts'
import { openDatabase } from '../../../server/engines/database/database.ts'
import { openConnection } from '../../../server/engines/database/connection.ts'
import { createLog } from '../../../server/ground/log.ts'
import { migrations } from '../../../server/engines/database/migrations/index.ts'
import type { AuditEventRow } from '../../../server/audit/tables.ts'
import { bindModels } from '../../../server/call/models.ts'
import { openSecretStore } from '../../../server/engines/secrets/open.ts'
import { openSealer } from '../../../server/engines/secrets/sealer.ts'
import { manualClock } from '../../support/clock.ts'
import { writeEmptyDatabase } from '../../support/empty-database.ts'
import { temporaryFolder } from '../../support/server-process.ts'

export const stranger = actorOf(undefined, '192.0.2.7', 'Firefox')

/** An audit log on a real database and secret store, without the rest of the server. */
export async function openAudit() {
  const directory = await temporaryFolder()
  const log = createLog({ default: 'None' })
  const passing = manualClock()
  let aheadMs = 0
  const clock = { ...passing, now: () => passing.now() + aheadMs, set: (ms: number) => void (aheadMs = ms) }
  await writeEmptyDatabase(directory)
  const database = await openDatabase({ directory, migrations, appVersion: '1.0.0', log })
  onTestFinished(() => database.close())
  const models = bindModels(database.sequelize)
  const sealer = await openSealer(await openSecretStore({ directory, preference: 'file', log }))
  const open = () => new AuditLog({ directory, database, models, sealer, clock, log })
  const audit = open()
  const rows = () => database.all<AuditEventRow>('SELECT * FROM audit_events ORDER BY id')
  const verify = () => verifyChain({ sealer, note: new HeadNote(directory, sealer), all: database.all })
  /** Edits the file like somebody with an SQLite shell. */
  const edit = async (sql: string) => {
    const shell = await openConnection(`${directory}/farhand.db`, 'writer')
    try {
      await shell.exec(sql)
    } finally {
      await shell.close()
    }
  }
  return { directory, clock, database, models, sealer, audit, open, rows, verify, edit }
}

/** Triggers that somebody with the file can remove. */
export const withoutTriggers = `DROP TRIGGER audit_events_never_change; DROP TRIGGER audit_events_stay;
  DROP TRIGGER audit_events_continue; DROP TRIGGER audit_head_grows; DROP TRIGGER audit_head_stays;
  DROP TRIGGER audit_stubs_stay; DROP TRIGGER audit_stubs_never_change;`
