import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Transaction } from 'sequelize'
import { systemClock } from '../../server/clock.ts'
import { openDatabase } from '../../server/database.ts'
import { createLog } from '../../server/log.ts'
import { openMemory, type MemoryEvents } from '../../server/memory/index.ts'
import { migrations } from '../../server/migrations/index.ts'
import { bindModels, type Models } from '../../server/models/index.ts'

export const tenantId = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'

/** A database in a folder of its own with what memory holds of it, and no server around them. */
export async function openTestMemory({
  fill = async () => {},
  events,
}: {
  /** Stores what is there before anything is loaded. */
  fill?: (models: Models, transaction: Transaction) => Promise<unknown>
  events?: Partial<MemoryEvents>
} = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'farhand-memory-'))
  const log = createLog('silent')
  const database = await openDatabase({ directory, migrations, appVersion: '1.0.0', log })
  const models = bindModels(database.sequelize)
  await database.write(async (transaction) => {
    await models.Tenant.create({ id: tenantId, name: 'Tenant', createdAt: 0 }, { transaction })
    await fill(models, transaction)
  })
  const opened = await openMemory(
    {
      database,
      models,
      clock: systemClock,
      log,
      clockSkewToleranceMs: 60_000,
      scratchDirectory: directory,
      maxTransferBytes: undefined,
    },
    { changed() {}, connectionEnded() {}, credentialsChanged() {}, ...events },
  )
  return {
    ...opened,
    database,
    models,
    async close() {
      await opened.stop()
      await database.close()
      await rm(directory, { recursive: true })
    },
  }
}
