import type { App } from '../call/call.ts'
import { TimeSlice } from '../ground/clock.ts'
import { holds } from '../rights/rights.ts'
import type { StoredAlert, Subject } from './alert-mirror.ts'
import { personNow, visibleSubjects } from './rights.ts'
import type { Rule } from './rule-mirror.ts'
import type { AlertSettingsRow } from './tables.ts'

/** Receivers of one alert. */
const maxReceivers = 50

export const settingsOf = ({ models }: App, tenantId: string): Promise<AlertSettingsRow | null> =>
  models.AlertSettings.findByPk(tenantId, { raw: true })

/** People of a tenant who may change its rules. */
async function administratorsOf(app: App, tenantId: string): Promise<string[]> {
  const people = await app.database.all<{ id: string }>(
    "SELECT id FROM users WHERE tenantId = ? AND accountType = 'Interactive' AND disabledAt IS NULL ORDER BY createdAt, id",
    [tenantId],
  )
  const slice = new TimeSlice()
  const found: string[] = []
  for (const { id } of people) {
    const person = personNow(app, id)
    if (person && holds(app, person, 'tenant.settings.write', tenantId) && found.push(id) === maxReceivers) {
      break
    }
    if (slice.isOver) {
      await slice.yield()
    }
  }
  return found
}

/** People whom a rule notifies first. */
export async function receiversOf(
  app: App,
  { row, userIds }: Pick<Rule, 'row' | 'userIds'>,
): Promise<readonly string[]> {
  if (row.receivers === 'people') {
    return userIds
  }
  const first = row.receivers === 'on-call' ? (await settingsOf(app, row.tenantId))?.firstUserId : null
  return first && personNow(app, first) ? [first] : administratorsOf(app, row.tenantId)
}

/** People who see the same part of an alert. */
export interface Audience {
  userIds: string[]
  subjects: readonly Subject[]
}

/** Groups people by what they may see of an alert now; who sees nothing of it is in no group (T43). */
export function audiencesOf(app: App, alert: StoredAlert, userIds: readonly string[]): Audience[] {
  const groups = new Map<string, Audience>()
  for (const id of userIds) {
    const person = personNow(app, id)
    const subjects = person?.tenantId === alert.row.tenantId ? visibleSubjects(app, person, alert) : []
    if (subjects.length > 0) {
      const key = subjects.map(({ subject }) => subject).join(' ')
      const group = groups.get(key) ?? { userIds: [], subjects }
      group.userIds.push(id)
      groups.set(key, group)
    }
  }
  return [...groups.values()]
}
