import type { Call } from '../call/call.ts'
import { descriptions } from '../call/models.ts'
import { lastRuns } from './server-runs.ts'
import { settingsInForce } from '../settings/server-settings.ts'
import { serverLog, serverState } from './server-state.ts'
import { healthReport } from './report.ts'
import { scrub, secretsOf } from './scrub.ts'

const runsShown = 20

/** Returns the contents of a support request, without secrets. The download is recorded. */
export async function diagnostics(call: Call) {
  const { app, actor } = call
  const secrets = secretsOf(app.config)
  const clean = (text: string) => scrub(text, secrets)
  const cleaned = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value, (_key, each: unknown) => (typeof each === 'string' ? clean(each) : each))) as T
  const rows: Record<string, number> = {}
  for (const name of ['migrations', ...descriptions.map((table) => table.name)].toSorted()) {
    const [counted] = await app.database.all<{ count: number }>(`SELECT count(*) AS count FROM ${name}`)
    rows[name] = counted?.count ?? 0
  }
  const log = await serverLog(call, 'warn', '')
  const settings = settingsInForce(app)
    .filter(({ source }) => source !== 'default')
    .map(({ row, text, source }) => ({
      key: row.key,
      value: row.secret ? null : (text ?? null),
      source: source ?? 'default',
    }))
  await app.audit.record(actor, { kind: 'export.diagnostics', tenantId: null })
  return cleaned({
    report: await healthReport(app),
    server: await serverState(call),
    settings,
    runs: (await lastRuns(app, runsShown)).map((run) => ({ ...run })),
    rows,
    log: log.items.map(({ at, level, message, fields }) => `${at ?? ''} ${level} ${message} ${fields}`.trim()),
  })
}
