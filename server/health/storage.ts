import type { StoredSize } from '../engines/database/engine.ts'
import { pathsIn, sizeOf } from '../engines/database/folder.ts'
import { describeCopies } from '../engines/database/copies.ts'
import { lastRuns } from './server-runs.ts'
import { ok, problem, size, time, warning, type Finding, type HealthCheck } from './check.ts'
import { plural } from '../../shared/plural.ts'

/** Multiple of the threshold at which the report warns. */
const early = 5
/** A write-ahead log of this size means that something keeps it from being moved into the database. */
const largeLog = 256 * 1024 * 1024

const disk: HealthCheck = {
  id: 'disk',
  title: 'Disk',
  async run({ diskSpace, config }) {
    const space = await diskSpace.read()
    if (!space) {
      return warning(`The system does not say how much of ${config.dataDirectory} is free.`, 'Check the disk.')
    }
    const summary = `${size(space.free)} of ${size(space.total)} free`
    const least = config.appOptions.minFreeDiskSpace
    const advice = 'Make room on the disk of the data folder: logs, old copies and other programs use it too.'
    if (space.free < least) {
      return problem(`${summary}: uploads are refused`, advice)
    }
    return space.free < early * least
      ? warning(summary, `${advice} Below ${size(least)} uploads are refused.`)
      : ok(summary)
  },
}

/** Share of the connections of a database server from which on the report warns. */
const manyConnections = 0.9

function ofServer({
  place,
  bytes,
  version,
  connections,
  mostConnections,
  lagMs,
}: StoredSize & { kind: 'postgres' }): Finding {
  const summary = `${size(bytes)} in PostgreSQL ${version}, ${place}; ${connections} of ${mostConnections} connections, ${plural(Math.round(lagMs), 'millisecond', 'milliseconds')} to answer`
  return connections > manyConnections * mostConnections
    ? warning(summary, 'Raise max_connections of PostgreSQL, or end other programs that use it.')
    : ok(summary)
}

const database: HealthCheck = {
  id: 'database',
  title: 'Database',
  async run(app) {
    const { database: file, copies } = pathsIn(app.config.dataDirectory)
    const damage = app.database.damage()
    if (damage !== undefined) {
      return problem(
        `Damaged, and nothing is written any more: ${damage}`,
        `Stop the server, move ${file} aside together with ${file}-wal and ${file}-shm, and restore the newest backup. ${await describeCopies(copies)}`,
      )
    }
    const stored = await app.database.size()
    if (stored.kind === 'postgres') {
      return ofServer(stored)
    }
    const { bytes, logBytes } = stored
    const state = await app.models.ServerState.findByPk('server', { raw: true })
    const checked = state?.integrityCheckedAt
      ? `checked ${time(state.integrityCheckedAt)}`
      : 'checked when the server started'
    const summary = `${size(bytes)}, ${checked}`
    const [run] = await lastRuns(app, 1)
    if (run?.isLogMissing) {
      return problem(
        `${summary}; its write-ahead log was missing when the server started`,
        'The file was copied from a running server, or the log was deleted: the last changes before that are lost. Restore a backup, or copy the folder again while the server is stopped.',
      )
    }
    return logBytes > largeLog
      ? warning(
          `${summary}; its write-ahead log has ${size(logBytes)}`,
          'Another program keeps the database open. Close it, or start the server again.',
        )
      : ok(summary)
  },
}

const log: HealthCheck = {
  id: 'log',
  title: 'Log',
  async run({ logFile }) {
    if (!logFile) {
      return ok('Written to the terminal or the journal of the system')
    }
    const summary = `${size(await sizeOf(logFile.path))} in ${logFile.path}`
    return logFile.lost > 0
      ? warning(
          `${summary}; ${plural(logFile.lost, 'line was', 'lines were')} lost since the start`,
          'The disk of the log was full or could not be written. Make room on it.',
        )
      : ok(summary)
  },
}

const lastEnd: HealthCheck = {
  id: 'last-end',
  title: 'Last stop',
  async run(app) {
    const [, before] = await lastRuns(app, 2)
    if (!before) {
      return ok('This is the first recorded run')
    }
    const ended = before.endedAt ?? before.aliveUntil
    const at = time(ended)
    if (before.ending === 'crashed') {
      const [reason = ''] = (before.reason ?? '').split('\n')
      return warning(
        `An unexpected error ended the server on ${at}: ${reason}`,
        'Download the diagnostics and send them with a report. The server was started again.',
        ended,
      )
    }
    if (before.ending === 'restored') {
      return ok(`None: this server began with a backup of ${at}`)
    }
    return before.ending === 'vanished'
      ? warning(
          `The server ended without notice on ${at}`,
          'A power cut, a kill or the system ended it. The database was checked afterwards and is whole.',
          ended,
        )
      : ok(`Stopped in order on ${at}`)
  },
}

export const storageChecks: readonly HealthCheck[] = [disk, database, log, lastEnd]
