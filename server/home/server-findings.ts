import type { HomeServerDto } from '../../shared/api/appliance-home.ts'
import { alertedSubjects } from '../alerts/alerted-subjects.ts'
import type { App, Call } from '../call/call.ts'
import { instant } from '../ground/instant.ts'
import { sharedReport } from '../health/report.ts'
import { offeredRelease, readUpdateState } from '../updates/check.ts'

/** Checks that the findings about devices and sign-ins show in more detail. */
const shownElsewhere: readonly string[] = ['agents', 'refused']

type Finding = HomeServerDto['findings'][number]

async function updateFinding(app: App): Promise<Finding[]> {
  const offered = offeredRelease(app, await readUpdateState(app))
  return offered
    ? [
        {
          id: 'update',
          title: 'Update',
          state: 'warning',
          summary: `Version ${offered.release.version} is available; this server runs ${app.version}`,
          advice: offered.problem ?? 'Read what is new and install it on the Server page.',
          since: instant(offered.release.signedAt),
        },
      ]
    : []
}

/** Returns what needs a hand on this server and is not in an alert, problems first. */
export async function serverFindings(call: Pick<Call, 'app' | 'principal'>): Promise<HomeServerDto> {
  const { app } = call
  const [report, update, told] = await Promise.all([
    sharedReport(app),
    updateFinding(app),
    alertedSubjects(call, ['server-backup', 'server-certificate', 'server-problem', 'server-update']),
  ])
  const found = report.checks.filter(({ id, state }) => state !== 'ok' && !shownElsewhere.includes(id) && !told.has(id))
  const isUpdateTold = [...told].some((subject) => subject.startsWith('version '))
  const all = [...found, ...(isUpdateTold ? [] : update)]
  return {
    checkedAt: report.at,
    findings: [...all.filter(({ state }) => state === 'problem'), ...all.filter(({ state }) => state === 'warning')],
  }
}
