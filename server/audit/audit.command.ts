import { instant } from '../ground/instant.ts'
import { plural } from '../../shared/plural.ts'
import { join } from 'node:path'
import { HeadNote } from './head-note.ts'
import { verifyChain } from './verify.ts'
import { ConfigError } from '../settings/config-error.ts'
import { describePlace } from '../engines/database/options.ts'
import { holdsDatabase } from '../engines/database/folder.ts'
import { openForReading } from '../engines/database/read-only.ts'
import type { Config } from '../settings/config.ts'
import { postgresOf } from '../call/postgres.ts'
import { installation } from '../engines/process/installation.ts'
import { createLog } from '../ground/log.ts'
import { openSecretStore } from '../engines/secrets/open.ts'
import { openSealer } from '../engines/secrets/sealer.ts'
import { StartError } from '../ground/start-error.ts'
import { noData, type Terminal } from '../surface/command.ts'

export const usage = `Usage: ${installation.program} audit verify [--config FILE]

Checks that no event of the audit log was changed, removed or added since it was written. Reads only, also while the
server runs. Ends with 1 if the log was changed.`

/**
 * Checks the audit log of a data folder and prints the result. Reads only, so that a running server is not disturbed.
 * Returns whether the chain holds. Throws a `StartError` for a folder without a log.
 */
async function verifyAuditLog(config: Config, say: (line: string) => void): Promise<boolean> {
  const directory = config.dataDirectory
  const postgres = postgresOf(config)
  if (!postgres && !holdsDatabase(directory)) {
    throw noData(directory)
  }
  const place = postgres ? `The PostgreSQL database ${describePlace(postgres.place)}` : join(directory, 'farhand.db')
  const database = await openForReading(directory, postgres).catch((error: unknown) => {
    throw new StartError(
      `${place} cannot be opened. Correct the settings: Service_DataDirectory, or Service_POSTGRES_*.`,
      { cause: error },
    )
  })
  try {
    await database.all('SELECT 1 FROM audit_events LIMIT 1').catch((error: unknown) => {
      throw new StartError(`${place} has no audit log yet. Start the server once.`, { cause: error })
    })
    const sealer = await openSealer(await openSecretStore({ directory, log: createLog({ default: 'None' }) }), {
      mayCreate: false,
    })
    const note = new HeadNote(directory, sealer)
    const check = await verifyChain({ sealer, note, all: database.all })
    const { holds, problem, rows, removed, lostAt, lastId, hash } = check
    if (!holds) {
      say(`The audit log was changed. ${problem}`)
      return false
    }
    say(
      `The audit log holds: ${plural(rows, 'row', 'rows')}${removed > 0 ? `, after ${removed} removed by the retention` : ''}.`,
    )
    if (lostAt !== null) {
      say(`${instant(lostAt)}: newer events were missing when the server started.`)
    }
    say(`Newest row: ${lastId}, hash ${hash}`)
    return true
  } finally {
    await database.close()
  }
}

/** Runs `audit verify`; returns the exit status, 1 for a chain that does not hold. */
export async function auditCommand([word, ...more]: readonly string[], { say, loadConfig }: Terminal): Promise<number> {
  if (word !== 'verify' || more.length > 0) {
    throw new ConfigError([
      { key: 'audit', source: 'command line', message: 'needs the one word verify; --help explains it' },
    ])
  }
  return (await verifyAuditLog(loadConfig(), say)) ? 0 : 1
}
