import type { BulkCreateOptions } from 'sequelize'
import { openDatabase } from '../../server/engines/database/database.ts'
import { createLog } from '../../server/ground/log.ts'
import { migrations } from '../../server/engines/database/migrations/index.ts'
import { bindModels, descriptions, type Models } from '../../server/call/models.ts'
import { databaseOf } from '../simulate/database.ts'
import { simulatedReport } from '../simulate/facts.ts'
import { openAccount, type Account } from '../simulate/fleet.ts'
import { startServer, type ServerProcess } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'

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

interface StoredDevice {
  id: string
  publicKey: string | null
  index: number
}

/** Stores simulated devices, some thousand in a transaction. */
export async function storeDevices(
  directory: string,
  tenantId: string,
  devices: readonly StoredDevice[],
): Promise<void> {
  const rows = devices.map(({ id, publicKey, index }) => ({
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

/** Runs `work` with a server on what `fill` has stored in its data folder for the first account. */
export async function withStored<T>(
  { settings, nodeArguments }: { settings: Record<string, string>; nodeArguments?: readonly string[] },
  fill: (directory: string, account: Account) => Promise<T>,
  work: (server: ServerProcess, stored: T) => Promise<void>,
): Promise<void> {
  await using folder = await temporaryFolder()
  const first = await startServer(folder.path, settings)
  const account = await openAccount(first.url)
  await first.stop()
  const stored = await fill(folder.path, account)
  const server = await startServer(folder.path, settings, nodeArguments)
  try {
    await work(server, stored)
  } finally {
    await server.stop()
  }
}
