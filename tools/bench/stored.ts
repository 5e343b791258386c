import type { BulkCreateOptions } from 'sequelize'
import { openDatabase } from '../../server/engines/database/database.ts'
import { createLog } from '../../server/ground/log.ts'
import { migrations } from '../../server/engines/database/migrations/index.ts'
import { bindModels, descriptions, type Models } from '../../server/call/models.ts'
import { databaseOf } from '../simulate/database.ts'
import { simulatedReport } from '../simulate/facts.ts'
import { openAccount, type Account } from '../simulate/fleet.ts'
import { startServer } from '../simulate/server-process.ts'

/** Rows of one transaction. */
const storedTogether = 5_000

/** Writes rows into the database of a stopped server, in seconds instead of minutes. */
export async function store(
  directory: string,
  work: (models: Models, options: BulkCreateOptions) => Promise<unknown>,
): Promise<void> {
  const place = await databaseOf(directory)
  const database = await openDatabase({
    directory,
    migrations,
    log: createLog({ default: 'None' }),
    appVersion: '0',
    postgres: place && { place, tables: descriptions },
  })
  try {
    const models = bindModels(database.sequelize)
    await database.write((transaction) => work(models, { transaction, validate: false, hooks: false }))
  } finally {
    await database.close()
  }
}

/** Stores simulated devices, some thousand in a transaction; those that will connect have a public key. */
export async function storeDevices(
  directory: string,
  tenantId: string,
  devices: readonly { id: string; publicKey?: string }[],
): Promise<void> {
  const rows = devices.map(({ id, publicKey = null }, index) => ({
    ...simulatedReport(index),
    id,
    tenantId,
    publicKey,
    createdAt: index,
    lastSeen: Date.now(),
    alias: `alias ${index}`,
    publicIpV4: '198.51.100.7',
    publicIpV6: '',
    customerId: null,
    newestUpdate: null,
  }))
  for (let start = 0; start < rows.length; start += storedTogether) {
    const part = rows.slice(start, start + storedTogether)
    await store(directory, (models, options) => models.Device.bulkCreate(part, options))
  }
}

/** Opens the first account of a server on this data folder, which is stopped again. */
export async function firstAccount(directory: string, settings: Record<string, string>): Promise<Account> {
  await using server = await startServer(directory, settings)
  return await openAccount(server.url)
}
