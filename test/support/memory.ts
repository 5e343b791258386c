import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Transaction } from 'sequelize'
import { systemClock } from '../../server/ground/clock.ts'
import { loadConfig } from '../../server/settings/config.ts'
import { openDatabase } from '../../server/engines/database/database.ts'
import { createLog } from '../../server/ground/log.ts'
import { createLive, type Live } from '../../server/call/live.ts'
import { openMirrors, type MirrorEvents, type Mirrors } from '../../server/call/mirrors/index.ts'
import { migrations } from '../../server/engines/database/migrations/index.ts'
import { bindModels, type Models } from '../../server/call/models.ts'
import { writeEmptyDatabase } from './empty-database.ts'
import { makeDatabase } from './postgres.ts'

export const tenantId = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'

/** Opens a database in its own folder with its mirrors and live state, without a server. */
export async function openTestMemory({
  fill = async () => {},
  events,
}: {
  /** Stores rows before the mirrors are loaded. */
  fill?: (models: Models, transaction: Transaction) => Promise<unknown>
  events?: Partial<MirrorEvents>
} = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'farhand-memory-'))
  const log = createLog({ default: 'None' })
  const postgres = await makeDatabase()
  if (!postgres) {
    await writeEmptyDatabase(directory)
  }
  const options = { directory, migrations, appVersion: '1.0.0', log }
  const database = await openDatabase({ ...options, postgres: postgres?.options })
  const models = bindModels(database.sequelize)
  await database.write(async (transaction) => {
    await models.Tenant.create({ id: tenantId, name: 'Tenant', createdAt: 0 }, { transaction })
    await fill(models, transaction)
  })
  const { mirrors, ...opened } = await openMirrors(
    { database, models, clock: systemClock, log },
    {
      changed() {},
      replaced() {},
      removed() {},
      connectionEnded() {},
      credentialsChanged() {},
      permissionsChanged() {},
      ...events,
    },
  )
  const memory: Mirrors & Live = {
    ...mirrors,
    ...createLive({
      clock: systemClock,
      log,
      config: loadConfig({ env: { Service_DataDirectory: directory } }),
      tenants: () => 1,
      visits: undefined,
    }),
  }
  return {
    ...opened,
    memory,
    database,
    models,
    async close() {
      await opened.stop()
      await database.close()
      await rm(directory, { recursive: true })
      await postgres?.drop()
    },
  }
}
