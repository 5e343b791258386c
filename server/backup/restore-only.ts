/*
 * A server whose data cannot be opened offers the restore form of the first run, and nothing else. It is a new server in a
 * temporary folder, so the page, its routes and the rule of the setup code are those of the first run.
 */
import { statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../ground/clock.ts'
import type { Config } from '../settings/config.ts'
import { AppError } from '../ground/errors.ts'
import { pathOf } from '../engines/http/web/request.ts'

/** Restore into the data folder of a server that cannot start. */
export interface RestoreOnly {
  /** Data folder that gets the backup. */
  directory: string
  /** Why the server cannot start, for the person at its computer. */
  problem: string
}

/** Configuration of a new server in a temporary folder, with a function that removes the folder. */
export async function withoutData(config: Config): Promise<{ config: Config; remove: () => Promise<void> }> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'farhand-restore-'))
  return {
    config: { ...config, dataDirectory, postgres: { ...config.postgres, host: undefined } },
    remove: () => rm(dataDirectory, { recursive: true, force: true }),
  }
}

/** Interval of looking for a restore by command. */
const followMs = 2_000

/** Time of the last restore that no start has recorded yet. */
const restoredAt = (directory: string): number | undefined =>
  statSync(join(directory, 'restored.json'), { throwIfNoEntry: false })?.mtimeMs

/** Restarts the server when somebody has restored a backup by command. Returns a stop function. */
export function followRestores(
  { clock, restart }: { clock: Clock; restart: (() => void) | undefined },
  { directory }: RestoreOnly,
) {
  const before = restoredAt(directory)
  return clock.every(followMs, () => {
    if (restoredAt(directory) !== before) {
      restart?.()
    }
  })
}

const answered = new Set([
  '/api/appliance/v1/registration',
  '/api/appliance/v1/first-run/restorations',
  '/api/appliance/v1/first-run/uploads',
  '/api/v1/public-server-settings',
  '/api/auth/me',
  '/api/appliance/v1/session/permissions',
])
const elsewhere = /^\/(api|hubs|downloads|relay|openapi|reference)(\/|$)/i

/** Throws 503 for everything but the pages and what their restore form needs. */
export function refuseWithoutData(request: IncomingMessage): void {
  const path = pathOf(request)
  if (elsewhere.test(path) && !(answered.has(path) && (request.method !== 'POST' || path.includes('first-run')))) {
    throw new AppError(503, 'The data of this server cannot be opened. A backup can be restored on its page.')
  }
}
