import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { inParallel } from '../../../shared/in-parallel.ts'
import { SimulatedAgent } from '../../../tools/simulate/agent.ts'
import { createApp } from '../../../server/app.ts'
import { loadConfig } from '../../../server/settings/config.ts'
import { createLog } from '../../../server/ground/log.ts'
import { openLogFile } from '../../../server/engines/process/log-file.ts'
import { openConnection } from '../../../server/engines/database/connection.ts'
import { installerKey } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { isNight } from '../../support/night.ts'
import { account, registerOwner, signInTo, Visitor } from '../../support/server.ts'
import { until } from '../../support/until.ts'

/*
 * A year of a server on an injected clock: devices connect, report and leave, people work, and every table and folder stays
 * flat once its retention is over. `npm run test:night` has 1,000 devices over 365 days; other runs 6 over 12.
 */

const scale = isNight
  ? { devices: 1_000, days: 365, reports: 30, keptDays: 30 }
  : { devices: 6, days: 12, reports: 2, keptDays: 3 }
const hourMs = 60 * 60_000
/** Retention of each log, which is over several times at the end. */
const { keptDays } = scale
/**
 * Tables that grow: a row per day for ever (`docs/retention.md`), keys that people keep, one a week, and in the short form
 * batches, which are kept for 30 days.
 */
const growing = new Set([
  'audit_stubs',
  'installer_keys',
  ...(isNight ? [] : ['batches', 'batch_results', 'program_events']),
])

const folder = await mkdtemp(join(tmpdir(), 'farhand-test-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath, entry.name)))
  return (await Promise.all(files)).reduce((sum, { size }) => sum + size, 0)
}

/** Rows of each table, and bytes of the folders. */
async function measure(data: string, logs: string): Promise<Record<string, number>> {
  const connection = await openConnection(join(data, 'farhand.db'), 'reader')
  try {
    const tables = await connection.all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
    )
    const counts = tables.map(async ({ name }) => {
      const [row] = await connection.all<{ count: number }>(`SELECT count(*) AS count FROM "${name}"`)
      return [name, row?.count ?? 0] as const
    })
    return {
      ...Object.fromEntries(await Promise.all(counts)),
      'bytes of the data folder': await sizeOf(data),
      'bytes of the log folder': await sizeOf(logs),
    }
  } finally {
    await connection.close()
  }
}

/** Sizes once the jobs that were due have ended. */
async function settledSizes(data: string, logs: string) {
  let last = await measure(data, logs)
  return until(async () => {
    const before = JSON.stringify(last)
    last = await measure(data, logs)
    return before === JSON.stringify(last) ? last : undefined
  })
}

/** A day of people: each of these leaves rows. */
async function work(url: string, day: number, idle: SimulatedAgent[]) {
  await new Visitor(url).applianceSession
    .signIn({ body: { email: account.email, password: `wrong ${day}` } })
    .catch(() => {})
  const owner = await signInTo(url)
  const { tenantId } = owner
  const { id: tagId } = await owner.tags.create({ tenantId, body: { name: `day-${day}` } })
  await owner.tags.delete({ tenantId, params: { tagId } })
  const { personalAccessToken: token } = await owner.personalAccessTokens.create({
    tenantId,
    body: { name: `day-${day}` },
  })
  await owner.personalAccessTokens.delete({ tenantId, params: { id: token.id } })
  // Devices that are off, so that each result is a row.
  await owner.applianceBatches.start({ body: { kind: 'restart', deviceIds: idle.slice(0, 10).map(({ id }) => id) } })
  const key = await installerKey(owner)
  const guest = new SimulatedAgent(day, tenantId)
  await guest.register(url, key)
  await owner.devices.delete({ params: { deviceId: guest.id } })
  if (day % 7 !== 0) {
    await owner.installerKeys.delete({ tenantId, params: { keyId: key.id } })
  }
}

test(
  'a year of reports, sign-ins and work leaves every table and folder flat',
  { timeout: isNight ? 3 * hourMs : 60_000 },
  async () => {
    const clock = manualClock()
    const [data, logs] = [join(folder, 'data'), join(folder, 'logs')]
    const settings = {
      Urls: 'http://127.0.0.1:0',
      DataDirectory: data,
      Environment: 'Testing',
      AppOptions__AgentClockSkewTolerance: '',
      AppOptions__UseHttpLogging: 'true',
      AppOptions__AuditLogRetentionDays: String(keptDays),
      AppOptions__AuthorizationChangeLogRetentionDays: String(keptDays),
      AppOptions__AgentInstallerKeyHistoryDays: String(keptDays),
    }
    const env = Object.fromEntries(Object.entries(settings).map(([key, value]) => [`Service_${key}`, value]))
    const logFile = openLogFile(logs, { keptDays, fileBytes: isNight ? undefined : 20_000, now: () => clock.now() })
    const log = createLog({ default: 'Information' }, logFile)
    const server = createApp(loadConfig({ env }), { log, logFile, clock, secretStore: 'file' })
    const { urls } = await server.start()
    const url = urls[0]!
    try {
      const owner = await registerOwner(url)
      const key = await installerKey(owner)
      const agents = Array.from({ length: scale.devices }, (_, index) => new SimulatedAgent(index, owner.tenantId))
      await inParallel(agents, 16, (agent) => agent.register(url, key))
      const months: Record<string, number>[] = []
      for (let day = 1; day <= scale.days; day++) {
        const first = (day * scale.reports) % scale.devices
        const today = agents.slice(first, first + scale.reports)
        await inParallel(today, 16, (agent) => agent.connect(url))
        await work(url, day, agents)
        today.forEach((agent) => agent.close())
        for (let quarter = 0; quarter < 4; quarter++) {
          clock.advance(6 * hourMs)
          // Answered after the writes of the jobs that were due.
          await owner.fetch('/health')
        }
        if (day % (isNight ? 30 : 6) === 0 || day === scale.days) {
          months.push({ day, ...(await settledSizes(data, logs)) })
        }
      }
      report(months)
      const [then, now] = [months.find(({ day }) => day! >= 2 * keptDays)!, months.at(-1)!]
      for (const [name, size] of Object.entries(now)) {
        if (name !== 'day' && !growing.has(name)) {
          const limit = then[name]! * 1.15 + (name.startsWith('bytes') ? 300_000 : 25)
          expect(size, `${name}: ${then[name]} after ${then['day']} days, ${size} after ${now['day']}`).toBeLessThan(
            limit,
          )
        }
      }
    } finally {
      await server.stop()
    }
  },
)

/** Prints what is not the same at every time. */
function report(months: readonly Record<string, number>[]) {
  if (isNight) {
    const names = Object.keys(months[0] ?? {})
    const changing = names.filter((name) => new Set(months.map((month) => month[name])).size > 1)
    console.log(changing.map((name) => `${name}: ${months.map((month) => month[name]).join(' ')}`).join('\n'))
  }
}
